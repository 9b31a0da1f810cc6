"""Large request heads, request bodies that are slow to arrive, and clients that do not read."""

from __future__ import annotations

import fcntl
import itertools
import logging
import math
import select
import socket
import struct
import sys
import termios

import gevent
import pytest
from gunicorn.config import Config
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.http.unreader import IterUnreader

from twindow.core.server.client_connections import (
    CHUNKED_STEP_BYTES,
    MAX_BODY_BYTES,
    MAX_HEAD_BYTES,
    BodyReader,
    BoundedRequest,
    bound_output,
)

logger = logging.getLogger(__name__)
TIMEOUT_SECONDS = 0.1


READ_BYTES = 8_192
FIELD = b"X-Forwarded-For: " + b"1.1.1.1, " * 800 + b"\r\n"


def head_of(field_count: int) -> bytes:
    return b"GET / HTTP/1.1\r\n" + FIELD * field_count + b"\r\n"


def test_head_of_a_request_is_refused_before_it_is_parsed():
    head = head_of(10 * MAX_HEAD_BYTES // len(FIELD))
    reads = [head[start : start + READ_BYTES] for start in range(0, len(head), READ_BYTES)]
    unread = iter(reads)

    with pytest.raises(LimitRequestHeaders):
        BoundedRequest(Config(), IterUnreader(unread), ("127.0.0.1", 1))

    assert len(list(unread)) >= len(reads) - MAX_HEAD_BYTES // READ_BYTES - 1


def test_head_within_the_limit_is_accepted():
    reads = [head_of(MAX_HEAD_BYTES // len(FIELD))]

    request = BoundedRequest(Config(), IterUnreader(reads), ("127.0.0.1", 1))

    assert len(request.headers) == MAX_HEAD_BYTES // len(FIELD)


class SlowClient:
    """A client that pauses before it sends each byte."""

    def __init__(self, pause_seconds: float) -> None:
        self.pause_seconds = pause_seconds

    def read(self, size: int) -> bytes:
        gevent.sleep(self.pause_seconds)
        return b"x" * min(size, 1)


@pytest.mark.parametrize(
    "pause_seconds", [TIMEOUT_SECONDS / 10, 10 * TIMEOUT_SECONDS], ids=["trickling", "silent"]
)
def test_body_is_truncated_at_its_deadline(pause_seconds: float):
    reader = BodyReader(SlowClient(pause_seconds), logger, TIMEOUT_SECONDS)
    body = b""

    with pytest.raises(NoMoreData):
        while len(body) < 100:
            body += reader.read(100)

    with pytest.raises(NoMoreData):  # the deadline also applies to later reads
        reader.read(100)


def test_body_is_read_in_steps_up_to_its_limit_and_other_requests_run_between_them():
    chunks = itertools.repeat(b"10\r\nsixteen letters.\r\n", 10 * MAX_BODY_BYTES // 16)
    reader = BodyReader(ChunkedReader(None, IterUnreader(chunks)), logger, 60)
    read_bytes = other_runs = 0

    def other_request() -> None:
        nonlocal other_runs
        while True:
            other_runs += 1
            gevent.sleep(0)

    other = gevent.spawn(other_request)
    with pytest.raises(NoMoreData):
        while data := reader.read(MAX_BODY_BYTES):
            read_bytes += len(data)
    other.kill()

    assert read_bytes == MAX_BODY_BYTES
    assert other_runs >= MAX_BODY_BYTES // CHUNKED_STEP_BYTES


def test_timeout_of_the_caller_is_raised_while_a_body_is_read():
    reader = BodyReader(SlowClient(math.inf), logger, 10)

    with pytest.raises(gevent.Timeout), gevent.Timeout(0.01):
        reader.read(100)


@pytest.mark.limit("L54")
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_system_buffers_little_for_a_client_that_does_not_read():
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        bound_output(connection, 60)
        connection.settimeout(0)
        while select.select([], [connection], [], TIMEOUT_SECONDS)[1]:
            connection.send(bytes(4_096))
        buffered = fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4))

        assert struct.unpack("i", buffered)[0] <= 65_536
