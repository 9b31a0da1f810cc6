"""Connections that are kept: what ends one request leaves the next one on it alone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import twinapi
from twinapi import Complete

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


def test_a_refusal_leaves_the_next_reply_on_its_connection_alone(server: socket.socket):
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
        refused._abort_handle()  # as the timer of `close` does, if it is late
        connection.sendall(HELLO)
        connection.close()
        assert second.result(10) == [Complete("Hello")]
    client.close()
