"""Reused connections: aborting one request does not affect the next one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from types import SimpleNamespace

import pytest

from twindow import twinapi
from twindow.core.outbound import fair_response
from twindow.twinapi import Complete

BUSY = b"HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
BEGUN = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
HELLO = b'data: {"type":"complete","message":"Hello"}\n\n'


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        yield server


def read_request(connection: socket.socket) -> None:
    request = b""
    while not request.endswith(b"}"):
        received = connection.recv(65536)
        assert received, "it comes on the same connection"
        request += received


def test_late_abort_of_a_refused_request_does_not_affect_the_next_one(server: socket.socket):
    host, port = server.getsockname()
    client = twinapi.Client(f"http://{host}:{port}", "any")
    with ThreadPoolExecutor() as pool:
        refused = client.stream_message("c1", "hello")
        first = pool.submit(list, refused)
        connection, _ = server.accept()
        connection.settimeout(10)
        read_request(connection)
        connection.sendall(BUSY)
        with pytest.raises(twinapi.Conflict):
            first.result(10)
        refused.close()

        second = pool.submit(list, client.stream_message("c1", "hello"))
        read_request(connection)
        connection.sendall(BEGUN)
        refused._abort_handle()  # as if the timer of `close` fired late
        connection.sendall(HELLO)
        connection.close()
        assert second.result(10) == [Complete("Hello")]
    client.close()


def test_reading_lets_other_greenlets_run_however_fast_the_service_sends(
    server: socket.socket, monkeypatch: pytest.MonkeyPatch
):
    """One call of http.client may read very many interim responses."""
    pauses: list[float] = []
    # Each read takes no time, and what is done with its data takes too long.
    steps = count(step=fair_response.MAX_BUSY_SECONDS)
    clock = SimpleNamespace(sleep=pauses.append, monotonic=lambda: next(steps))
    monkeypatch.setattr(fair_response, "PAUSE_SECONDS", 2 * fair_response.MAX_BUSY_SECONDS)
    monkeypatch.setattr(fair_response, "time", clock)
    host, port = server.getsockname()
    client = twinapi.Client(f"http://{host}:{port}", "any")
    interim = b"HTTP/1.1 100 Continue\r\n\r\n" * 4_000
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(list, client.stream_message("c1", "hello"))
        connection, _ = server.accept()
        connection.settimeout(10)
        read_request(connection)
        connection.sendall(interim + BEGUN + HELLO)
        connection.close()
        assert reply.result(10) == [Complete("Hello")]

    assert len(pauses) >= len(interim) // fair_response.BUFFER_BYTES
    assert set(pauses) == {fair_response.PAUSE_SECONDS}
