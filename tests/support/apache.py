"""A real Apache in front of a portal, configured as docs/operating.md describes."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.packages import find_program
from tests.support.processes import free_port
from tests.support.waiting import accepts_connections, wait_until
from twindow.paths import ROOT

STOP_SECONDS = 10
MODULES = (
    "mpm_event",
    "authn_core",
    "authn_file",
    "authz_core",
    "authz_user",
    "auth_basic",
    "headers",
    "proxy",
    "proxy_http",
)


def documented(first_line: str, last_line: str) -> str:
    """Return a recipe of docs/operating.md."""
    text = (ROOT / "docs" / "operating.md").read_text()
    pattern = rf"^    {re.escape(first_line)}\n.*?^    {re.escape(last_line)}\n"
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[0]


@contextmanager
def run_apache(portal_url: str, people: dict[str, str], *removed: str) -> Iterator[str]:
    """Run Apache with the documented location, and yield its URL.

    `people` maps names to passwords. Directives that begin with one of `removed` are left out.
    """
    program = find_program("apache2", "apache2-bin")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # Apache's workers run as another user
        config, port = Path(folder) / "apache.conf", free_port()
        config.write_text(_config(portal_url, Path(folder), port, people, removed))
        with run_proxy([program, "-X", "-f", str(config)], port) as url:
            yield url


def _config(
    portal_url: str, folder: Path, port: int, people: dict[str, str], removed: tuple[str, ...]
) -> str:
    passwords = folder / "passwords"
    passwords.write_text(
        "".join(password_line(name, password) for name, password in people.items())
    )
    location = documented('<Location "/">', "</Location>")
    location = location.replace("http://127.0.0.1:8000", portal_url)
    location = re.sub(r'AuthUserFile ".*?"', f'AuthUserFile "{passwords}"', location)
    lines = [line for line in location.splitlines() if not line.strip().startswith(removed or "#")]
    modules = [
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES
    ]
    return "\n".join(
        (
            *modules,
            f"Listen 127.0.0.1:{port}",
            "ServerName 127.0.0.1",
            f'PidFile "{folder}/apache.pid"',
            f'ErrorLog "{folder}/apache.log"',
            "User www-data",
            "Group www-data",
            *lines,
            "",
        )
    )


@contextmanager
def run_proxy(command: Sequence[str], port: int) -> Iterator[str]:
    """Run a proxy that listens on a port, and yield its URL when it accepts connections."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **quiet)
    try:
        wait_until(lambda: accepts_connections(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def password_line(name: str, password: str) -> str:
    """Return the line of a person in a password file, with the hash of the password."""
    hashed = subprocess.run(
        [find_program("openssl", "openssl"), "passwd", "-apr1", password],
        check=True,
        capture_output=True,
        text=True,
    )
    return f"{name}:{hashed.stdout.strip()}\n"
