"""Clients that attack the portal while the stall of other visitors is measured."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.support.person import Person

TAB_COUNT = 24
HEAD_INTERVAL_SECONDS = 0.1
# 95 headers of 8 KB: as large as gunicorn itself would accept.
LARGE_HEAD = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    + b"".join(
        name + b": " + value * (8_000 // len(value)) + b"\r\n"
        for name, value in (
            *[(b"Accept-Language", b"en-a;q=0.1, ")] * 32,
            *[(b"X-Forwarded-For", b"127.0.0.1, ")] * 32,
            *[(b"Cookie", b"a; ")] * 31,
        )
    )
    + b"\r\n"
)


def send_large_heads(url: str, is_stopped: Callable[[], bool]) -> None:
    """Send ten requests with large heads per second, until `is_stopped`."""
    address = _address(url)
    while not is_stopped():
        with suppress(OSError), socket.create_connection(address) as client:
            client.sendall(LARGE_HEAD)
            client.recv(65536)
        time.sleep(HEAD_INTERVAL_SECONDS)


@contextmanager
def extra_tabs(person: Person, turn_id: str, count: int) -> Iterator[None]:
    """Follow a reply in this many more tabs of a person, which only discard what they receive."""
    request = "\r\n".join(
        (
            f"GET /turns/{turn_id}/events?after=0 HTTP/1.1",
            "Host: localhost",
            "Accept-Encoding: gzip",
            f"Cookie: {'; '.join(f'{c.name}={c.value}' for c in person.session.cookies)}",
            "\r\n",
        )
    )
    tabs = [socket.create_connection(_address(person.base_url)) for _ in range(count)]
    for tab in tabs:
        tab.sendall(request.encode())
    reader = threading.Thread(target=_discard, args=(tabs,), daemon=True)
    reader.start()
    try:
        yield
    finally:
        for tab in tabs:
            with suppress(OSError):
                tab.shutdown(socket.SHUT_RDWR)
        reader.join()


def _discard(tabs: Sequence[socket.socket]) -> None:
    with selectors.DefaultSelector() as selector:
        for tab in tabs:
            selector.register(tab, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                tab = key.fileobj
                assert isinstance(tab, socket.socket)
                data = b""
                with suppress(OSError):
                    data = tab.recv(65536)
                if not data:
                    selector.unregister(tab)
                    tab.close()


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 80)
