"""The systems that are compared: nginx, a bare relay, and Twindow."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import requests

from tests.support import nginx
from tests.support.processes import ServerProcess, child_pids, run_server
from tools.probes import cpu_seconds, pss_kb

BROWSER_HEADERS = {"Accept": "text/html", "Accept-Encoding": "gzip, deflate, br"}
RELAY_PATH = "/relay?content=x"
MESSAGE_PATH = "/api/v1/conversations/any/messages/stream"


@dataclass(frozen=True)
class System:
    """A running system. `open_stream` starts a reply, and returns the request for its stream."""

    url: str
    pids: Callable[[], list[int]]
    open_stream: Callable[[int], str]
    page_path: str
    start_seconds: float = 0.0

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes in seconds."""
        return sum(map(cpu_seconds, self.pids()))

    def memory_kb(self) -> int:
        """Return the memory of all processes in KB."""
        return sum(map(pss_kb, self.pids()))


def request_bytes(url: str, method: str, path: str, headers: str = "") -> str:
    """Return an HTTP request without a body."""
    return f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n{headers}\r\n"


@contextmanager
def run_nginx(service_url: str) -> Iterator[System]:
    """Run nginx as a pass-through, configured as for a portal."""
    with (
        tempfile.TemporaryDirectory() as folder,
        nginx.run_nginx(service_url, Path(folder)) as url,
    ):
        pids = child_pids(int(Path(folder, "pid").read_text()))
        request = request_bytes(url, "POST", MESSAGE_PATH, "Content-Length: 0\r\n")
        yield System(url, lambda: pids, lambda _: request, "/twins")


@contextmanager
def run_relay(service_url: str) -> Iterator[System]:
    """Run the bare relay: Flask, gevent and requests; it renders and stores nothing."""
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), "-m", "tools.bench.baseline_app", API_URL=service_url) as server,
    ):
        request = request_bytes(server.url, "GET", RELAY_PATH)
        yield System(server.url, lambda: server.worker_pids, lambda _: request, "/")


@contextmanager
def run_twindow(
    service_url: str,
    *,
    is_embedded: bool = False,
    program: Sequence[str] = ("app.py",),
    **settings: str,
) -> Iterator[System]:
    """Run Twindow with a remote service, or its own with a model server. No limits apply.

    `program` is the script to run, or `-m` and a module.
    """
    source = {"API_URL": service_url, "API_KEY": "any"}
    if is_embedded:
        source = {"MODEL_URL": f"{service_url}/v1", "MODEL_PARALLEL": "1000"}
    twin = "fable" if is_embedded else "ada"
    started_at = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), *program, LIMITS="none", **source, **settings) as server,
    ):
        start_seconds = server.wait_until_ready() - started_at
        yield System(
            server.url,
            lambda: server.worker_pids,
            lambda number: _send_message(server, twin, number),
            "/",
            start_seconds,
        )


def _send_message(server: ServerProcess, twin: str, number: int) -> str:
    """Send the first message of a new visitor, and return the request for the stream of its reply.

    Each visitor has an address, because the streams and new sessions of an address are limited.
    """
    address = {"X-Forwarded-For": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"}
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update(BROWSER_HEADERS | address)
        page = session.get(f"{server.url}/twins/{twin}", timeout=60).text
        form = page[page.index('action="/conversations"') :]
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
        fields["content"] = f"Question {number}"
        page = session.post(f"{server.url}/conversations", data=fields, timeout=60).text
        [path] = re.findall(r'hx-sse:connect="([^"]*)"', page)[:1]
        cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
    headers = BROWSER_HEADERS | address | {"Accept": "text/event-stream", "Cookie": cookies}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return request_bytes(server.url, "GET", path.replace("&amp;", "&"), lines)
