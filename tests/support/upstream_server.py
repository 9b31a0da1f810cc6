"""The HTTP server of `tests.support.upstream`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.upstream import Call, Upstream


class Handler(BaseHTTPRequestHandler):
    """Request handler that passes each request to the upstream."""

    upstream: Upstream
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # each delta is sent at once

    def handle_request(self) -> None:
        """Parse a request and let the upstream answer it."""
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        is_form = "form-urlencoded" in self.headers.get("Content-Type", "")
        body = data.decode() if is_form else json.loads(data) if length else None
        with suppress(ConnectionError):  # the client has closed the connection
            self.upstream.handle(Call(self, body))
        self.close_connection = True

    do_GET = do_POST = do_DELETE = handle_request  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def run_upstream() -> Iterator[Upstream]:
    """Run a scripted upstream; close its calls afterwards."""

    class OwnHandler(Handler):
        pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 1024  # for hundreds of requests at once

    server = Server(("127.0.0.1", 0), OwnHandler)
    upstream = OwnHandler.upstream = Upstream(server)
    thread = threading.Thread(target=server.serve_forever, args=(0.002,), daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        upstream.close_calls()
        upstream.stop()
