"""The network between a browser and the portal, in the hands of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

CHUNK_BYTES = 65_536


class Wire:
    """Carry bytes to where it leads, until it is cut or goes dead."""

    def __init__(self, url: str) -> None:
        self.leads_to = url
        self._server = socket.create_server(("127.0.0.1", 0))
        self._dead = threading.Event()
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection that is open; new ones work."""
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def go_dead(self) -> None:
        """Carry nothing more over what is open, and tell nobody; new connections work."""
        self._dead.set()
        self._dead = threading.Event()

    def close(self) -> None:
        """Be gone."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", urlsplit(self.leads_to).port or 0))
                with self._lock:
                    self._ends |= {near, far}
                for pair in ((near, far), (far, near)):
                    carry = threading.Thread(target=_carry, args=(*pair, self._dead), daemon=True)
                    carry.start()


def _carry(source: socket.socket, target: socket.socket, dead: threading.Event) -> None:
    with suppress(OSError):
        while (data := source.recv(CHUNK_BYTES)) and not dead.is_set():
            target.sendall(data)
        if not dead.is_set():
            target.shutdown(socket.SHUT_WR)


@contextmanager
def strung(url: str) -> Iterator[Wire]:
    """String a wire to a portal on this machine."""
    wire = Wire(url)
    try:
        yield wire
    finally:
        wire.close()
