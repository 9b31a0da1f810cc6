"""A real nginx in front of a portal, configured as docs/operating.md describes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.certificates import Certificate
from tests.support.packages import find_program
from tests.support.processes import free_port
from tests.support.waiting import accepts_connections, poll_until
from twindow.paths import ROOT

START_SECONDS = 10

CONFIG_TEMPLATE = """
daemon off;
pid {folder}/pid;
error_log stderr warn;
worker_processes 1;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {upstream}
    server {{
        listen 127.0.0.1:{port}{tls};
        {more}
        {location}
    }}
}}
"""


def documented_location(url: str) -> str:
    """Return the nginx `location` block of docs/operating.md, with `url` as its upstream."""
    text = (ROOT / "docs" / "operating.md").read_text()
    match = re.search(r"^    location / \{\n.*?^    \}\n", text, re.DOTALL | re.MULTILINE)
    assert match is not None
    location = re.sub(r"proxy_pass \S+;", f"proxy_pass {url};", match[0])
    assert url in location
    return location


def documented_sign_in(password_file: Path) -> str:
    """Return the directives of docs/operating.md that sign people in."""
    text = (ROOT / "docs" / "operating.md").read_text()
    match = re.search(r"^        auth_basic .*?X-Remote-User.*?\n", text, re.DOTALL | re.MULTILINE)
    assert match is not None
    return re.sub(r"(auth_basic_user_file) \S+;", rf"\1 {password_file};", match[0])


@contextmanager
def run_nginx(
    url: str,
    folder: Path,
    *directives: str,
    certificate: Certificate | None = None,
    in_location: str = "",
    path: str = "/",
    removed: Sequence[str] = (),
    balanced: Sequence[str] = (),
) -> Iterator[str]:
    """Run nginx and yield its URL, which is HTTPS if a certificate is given.

    `directives` are added to the server block, and `in_location` to the location block of `path`.
    The headers in `removed` are set in the documentation, but not by this nginx. `balanced` are
    the addresses between which requests to the host `twindow` are distributed.
    """
    port = free_port()
    folder.mkdir(exist_ok=True)
    file = folder / "nginx.conf"
    if certificate:
        directives += (
            f"ssl_certificate {certificate.pem};",
            f"ssl_certificate_key {certificate.key};",
        )
    file.write_text(
        CONFIG_TEMPLATE.format(
            folder=folder,
            port=port,
            upstream=_upstream(balanced),
            tls=" ssl" if certificate else "",
            more="\n        ".join(directives),
            location=_location(url, path, removed, in_location),
        )
    )
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [find_program("nginx", "nginx"), "-p", folder, "-c", file, "-e", "stderr"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        _wait_for_port(port, process, folder / "log")
        yield f"https://localhost:{port}" if certificate else f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _upstream(addresses: Sequence[str]) -> str:
    servers = " ".join(f"server {address};" for address in addresses)
    return f"upstream twindow {{ {servers} }}" if servers else ""


def _location(url: str, path: str, removed: Sequence[str], more: str) -> str:
    location = documented_location(url).replace("location / {", f"location {path} {{")
    for header in removed:
        location = re.sub(rf"^ *proxy_set_header {header} .*\n", "", location, flags=re.MULTILINE)
    return location.replace("    }\n", f"{more}    }}\n")


def _wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    poll_until(lambda: process.poll() is not None or accepts_connections(port), START_SECONDS)
    if not accepts_connections(port):
        raise RuntimeError(f"nginx does not start: {log.read_text()}")
