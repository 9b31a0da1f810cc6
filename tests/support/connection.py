"""The server side of one HTTP connection, controlled by a test byte by byte."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

WAIT_SECONDS = 10


class Connection:
    """A response that is sent piece by piece and can be ended or broken in any way."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        self._closed = threading.Event()

    def send_head(self, status: int = 200, **headers: str) -> None:
        """Send the status line and the headers; closing the connection ends the body."""
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-").title(), value)
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def send_chunk(self, data: bytes) -> None:
        """Send one chunk of a `Transfer-Encoding: chunked` body; an empty chunk ends the body."""
        self.send_bytes(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def send_bytes(self, data: bytes) -> None:
        """Send raw bytes."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def close(self) -> None:
        """Let the handler return, which closes the connection."""
        self._closed.set()

    def reset(self) -> None:
        """Reset the connection (TCP RST)."""
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
        """Send `data` twenty times a second until the client closes the connection."""
        self._handler.connection.settimeout(0.05)
        with suppress(OSError):
            while True:
                self.send_bytes(data)
                with suppress(TimeoutError):
                    if self._handler.connection.recv(1) == b"":
                        return

    def wait_until_closed(self) -> None:
        """Block the handler until the test closes the connection, for at most 60 seconds."""
        self._closed.wait(60)
