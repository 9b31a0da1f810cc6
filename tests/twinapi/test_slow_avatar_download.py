"""Slow avatar downloads end at their deadline."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.images import png
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twinapi import AvatarUnavailable, Client

PLACE = "/api/v1/avatars/a.png"
PICTURE = png()


def silent(call: Call) -> None:
    call.wait_for_disconnect()
    call.close()


def drips_its_head(call: Call) -> None:
    call.send_bytes(b"HTTP/1.1 200 OK\r\n")
    call.send_until_disconnect(b"X: y\r\n")
    call.close()


def drips_its_body(call: Call) -> None:
    call.send_head(200, content_type="image/png")
    call.send_bytes(PICTURE)
    call.send_until_disconnect(b"x")
    call.close()


@pytest.mark.limit("L43")
def test_slow_avatar_downloads_are_aborted(client: Client, upstream: Upstream):
    client.avatar_downloader.timeout_seconds = 0.3
    answers = (silent, drips_its_head, drips_its_body)
    places = [f"/api/v1/avatars/{answer.__name__}.png" for answer in answers]
    upstream.answers |= dict(zip(places, answers, strict=True))
    with ThreadPoolExecutor() as pool:
        fetched = [pool.submit(client.fetch_avatar, place) for place in places]

    assert [type(each.exception()) for each in fetched] == [AvatarUnavailable] * 3


def test_slow_tls_handshake_is_aborted():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_drip, args=(server,), daemon=True).start()
        client = Client(f"https://127.0.0.1:{server.getsockname()[1]}", UPSTREAM_KEY)
        client.avatar_downloader.timeout_seconds = 0.6
        with pytest.raises(AvatarUnavailable):
            client.fetch_avatar(PLACE)
        client.close()


def _drip(server: socket.socket) -> None:
    """Send the header of a TLS record, then one byte at a time without end."""
    connection, _ = server.accept()
    with connection:
        connection.settimeout(0.05)
        connection.sendall(b"\x16\x03\x03\x40\x00")
        try:
            while True:
                connection.sendall(b"\x00")
                try:
                    while connection.recv(4096):
                        pass
                except TimeoutError:
                    continue
                return
        except OSError:
            return
