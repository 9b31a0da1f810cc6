"""Forged names behind Apache and Caddy, configured as docs/operating.md describes.

Ben is signed in at the proxy and sends headers that name Anna. The portal must take him for Ben, or
refuse the request. (nginx is part of the test suite.)
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.support.forged_identity import FORGERIES, request_raw
from tests.support.packages import find_or_install, install
from tests.support.person import Person
from tests.support.processes import ROOT, free_port
from tools.chaos.processes import run_portal, run_scripted_service
from tools.chaos.report import Expectations, Report, at_least, exactly

PASSWORD = "correct horse battery"
# Anna's conversation contains this text, which Ben must not see.
SECRET = "words of Anna"
START_SECONDS = 10
APACHE_MODULES = (
    *("mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic"),
    *("headers", "proxy", "proxy_http"),
)

EXPECTATIONS: Expectations = {
    "forgeries": at_least(len(FORGERIES)),
    "believed": exactly([]),
    "names_lost": exactly(0),
}


def run() -> dict[str, Report]:
    """Return a report for each proxy that can be installed."""
    proxies = {"apache": run_apache, "caddy": run_caddy}
    return {name: _attack(proxy) for name, proxy in proxies.items()}


def _attack(run_proxy: Callable[[str, Path], Iterator[str]]) -> Report:
    with tempfile.TemporaryDirectory() as folder, run_scripted_service() as service:
        port = free_port()
        settings = {
            "SIGN_IN": "proxy",
            "PROXY_USER_HEADER": "X-Remote-User",
            "PROXY_NETWORKS": "127.0.0.1",
        }
        # Apache's workers run as another user, and must be able to read the folder.
        Path(folder).chmod(0o755)
        with (
            run_portal(Path(folder) / "data", port, service, **settings) as portal,
            contextmanager(run_proxy)(portal.url, Path(folder)) as url,
        ):
            anna, ben = (_browser(url, name) for name in ("anna", "ben"))
            path = anna.start_conversation(f"n=1 gap=0 tag={SECRET.replace(' ', '-')}").path
            names_lost = (anna.get(path).status != 200) + (ben.get(path).status != 404)
            token = base64.b64encode(f"ben:{PASSWORD}".encode()).decode()
            authorization = ("Authorization", f"Basic {token}")
            statuses = {
                name: request_raw(url, path, [authorization, *headers])
                for name, headers in FORGERIES.items()
            }
    return {
        "forgeries": len(statuses),
        "believed": [name for name, status in statuses.items() if status == 200],
        "names_lost": names_lost,
    }


def _browser(url: str, name: str) -> Person:
    person = Person(url)
    person.session.auth = (name, PASSWORD)
    return person


def documented(first_line: str, last_line: str) -> str:
    """Return a recipe of docs/operating.md."""
    text = (ROOT / "docs" / "operating.md").read_text()
    pattern = rf"^    {re.escape(first_line)}\n.*?^    {re.escape(last_line)}\n"
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[0]


def run_apache(portal_url: str, folder: Path) -> Iterator[str]:
    """Run Apache with the documented location, and yield its URL."""
    program = _find("apache2", "apache2-bin")
    port, passwords = free_port(), folder / "passwords"
    hashes = [_hash_for_apache(name) for name in ("anna", "ben")]
    passwords.write_text("".join(hashes))
    location = documented('<Location "/">', "</Location>")
    location = location.replace("http://127.0.0.1:8000", portal_url)
    location = re.sub(r'AuthUserFile ".*?"', f'AuthUserFile "{passwords}"', location)
    modules = [
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"
        for name in APACHE_MODULES
    ]
    config = folder / "apache.conf"
    config.write_text(
        "\n".join(
            (
                *modules,
                f"Listen 127.0.0.1:{port}",
                "ServerName 127.0.0.1",
                f'PidFile "{folder}/apache.pid"',
                f'ErrorLog "{folder}/apache.log"',
                "User www-data",
                "Group www-data",
                location,
            )
        )
    )
    yield from _serve([program, "-X", "-f", str(config)], port)


def run_caddy(portal_url: str, folder: Path) -> Iterator[str]:
    """Run Caddy with the documented site, and yield its URL."""
    program = _find("caddy", "caddy")
    port = free_port()
    hashed = subprocess.run(
        [program, "hash-password", "--plaintext", PASSWORD],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    site = documented("chat.example.org {", "}")
    site = site.replace("chat.example.org", f"http://127.0.0.1:{port}")
    site = site.replace("127.0.0.1:8000", portal_url.removeprefix("http://"))
    site = re.sub(r"anna .*", lambda _: f"anna {hashed}\n            ben {hashed}", site)
    config = folder / "Caddyfile"
    config.write_text(f"{{\n    admin off\n    auto_https off\n}}\n{site}")
    command = [program, "run", "--config", str(config), "--adapter", "caddyfile"]
    yield from _serve(command, port)


def _hash_for_apache(name: str) -> str:
    hashed = subprocess.run(
        [_find("openssl", "openssl"), "passwd", "-apr1", PASSWORD],
        check=True,
        capture_output=True,
        text=True,
    )
    return f"{name}:{hashed.stdout.strip()}\n"


def _serve(command: list[str], port: int) -> Iterator[str]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **quiet)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                requests.get(url, timeout=1)
                break
            except requests.RequestException:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _find(program: str, package: str) -> str:
    path = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
    found = find_or_install(lambda: shutil.which(program, path=path), lambda: install(package))
    if found is None:
        raise SystemExit(f"{program} is needed; on Debian: apt-get install {package}")
    return found
