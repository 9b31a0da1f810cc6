"""The connection of one request, in the hands of the test, down to its bytes."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

WAIT_SECONDS = 10


class Connection:
    """Send a response piece by piece, and end it in every way that a network knows."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        self._closed = threading.Event()

    def send_head(self, status: int = 200, **headers: str) -> None:
        """Send the status and headers. The connection delimits the body."""
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-").title(), value)
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def send_chunk(self, data: bytes) -> None:
        """Send a chunk, for `Transfer-Encoding: chunked`; an empty one ends the body."""
        self.send_bytes(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def close(self) -> None:
        """Close the connection."""
        self._closed.set()

    def reset(self) -> None:
        """Reset the connection (RST)."""
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._closed.set()

    def wait_for_disconnect(self) -> bool:
        """Wait until the client closes the connection; return False on timeout."""
        try:
            self._handler.connection.settimeout(WAIT_SECONDS)
            return self._handler.connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def send_until_disconnect(self, data: bytes = b": heartbeat\n\n") -> None:
        """Send these bytes twenty times a second until the client closes the connection."""
        self._handler.connection.settimeout(0.05)
        with suppress(OSError):
            while True:
                self.send_bytes(data)
                with suppress(TimeoutError):
                    if self._handler.connection.recv(1) == b"":
                        return

    def wait_until_closed(self) -> None:
        """Keep the connection open until the test closes it."""
        self._closed.wait(60)
