"""A TCP proxy between a browser and the portal, to simulate network failures."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

CHUNK_BYTES = 65_536


class TcpProxy:
    """A TCP proxy that forwards to `target_url` until a test drops or stalls its connections."""

    def __init__(self, url: str) -> None:
        self.target_url = url
        self._server = socket.create_server(("127.0.0.1", 0))
        self._stalled = threading.Event()
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def drop_connections(self) -> None:
        """Close all open connections; new connections work."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for end in sockets:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def stall_connections(self) -> None:
        """Stop forwarding on open connections without closing them; new connections work."""
        self._stalled.set()
        self._stalled = threading.Event()

    def close(self) -> None:
        """Stop listening and close all connections."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.drop_connections()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                server = socket.create_connection(
                    ("127.0.0.1", urlsplit(self.target_url).port or 0)
                )
                with self._lock:
                    self._sockets |= {client, server}
                for pair in ((client, server), (server, client)):
                    thread = threading.Thread(
                        target=_forward, args=(*pair, self._stalled), daemon=True
                    )
                    thread.start()


def _forward(source: socket.socket, target: socket.socket, stalled: threading.Event) -> None:
    with suppress(OSError):
        while (data := source.recv(CHUNK_BYTES)) and not stalled.is_set():
            target.sendall(data)
        if not stalled.is_set():
            target.shutdown(socket.SHUT_WR)


@contextmanager
def run_tcp_proxy(url: str) -> Iterator[TcpProxy]:
    """Run a TCP proxy in front of a portal on this machine."""
    proxy = TcpProxy(url)
    try:
        yield proxy
    finally:
        proxy.close()
