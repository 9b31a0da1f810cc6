"""Connections of clients that send malformed or slow requests, or do not read."""

from __future__ import annotations

import math
import socket
import time
from typing import Any

import gevent
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.message import Request

# As in nginx (`large_client_header_buffers`). gunicorn itself would accept 100 fields of 8 KiB.
MAX_HEAD_BYTES = 32 * 1024
# More than any application accepts. gunicorn would read a refused body to its end.
MAX_BODY_BYTES = 2 * 1024 * 1024
# Other requests run after so many bytes in chunks: a chunk may have one byte, and take as much CPU
# time as a large one.
CHUNKED_STEP_BYTES = 256
# Linux compares this with what it has buffered before it adds a segment.
MAX_UNSENT_BYTES = 16 * 1024


def bound_output(client: socket.socket, seconds: float) -> None:
    """Limit what a client that reads nothing costs, where the system has these options.

    Linux closes the connection after `seconds`, and buffers little that it cannot send yet.
    Otherwise, it would buffer 4 MB.
    """
    for name, value in (
        ("TCP_USER_TIMEOUT", int(seconds * 1000)),
        ("TCP_NOTSENT_LOWAT", MAX_UNSENT_BYTES),
    ):
        if option := getattr(socket, name, None):
            client.setsockopt(socket.IPPROTO_TCP, option, value)


class BoundedRequest(Request):  # type: ignore[misc]
    """Request whose head has at most `MAX_HEAD_BYTES` bytes after the first line.

    The head is not parsed before it is complete. The limit also applies to trailers.
    """

    def parse(self, unreader: Any) -> bytes:
        """Read and parse the head, and return the bytes after it.

        Raises LimitRequestHeaders (status 431) if the head is too large.
        """
        self.max_buffer_headers = MAX_HEAD_BYTES
        return bytes(super().parse(unreader))


class BodyReader:
    """Reader that treats a malformed body as a truncated one, so that applications respond 400.

    A body that is incomplete `timeout_seconds` after the first read is treated as truncated, too,
    as is a body of more than `MAX_BODY_BYTES`.
    """

    def __init__(self, reader: Any, log: Any, timeout_seconds: float) -> None:
        self._reader = reader
        self._log = log
        self._timeout_seconds = timeout_seconds
        self._deadline = math.inf
        self._read_bytes = 0

    def read(self, size: int) -> bytes:
        """Read some of the next bytes, at most `size`. Raises NoMoreData."""
        if self._read_bytes >= MAX_BODY_BYTES:
            raise NoMoreData
        if isinstance(self._reader, ChunkedReader):
            size = min(size, CHUNKED_STEP_BYTES)
            gevent.sleep(0)
        now = time.monotonic()
        self._deadline = min(self._deadline, now + self._timeout_seconds)
        try:
            # With `exception=False`, a timeout ends the `with` block without an exception.
            with gevent.Timeout(max(0, self._deadline - now), exception=False):  # type: ignore[arg-type]
                data = bytes(self._reader.read(size))
                self._read_bytes += len(data)
                return data
        except ParseException as error:
            # Do not log the text of the error: it repeats what the client sent.
            self._log.warning("Malformed request body: %s", type(error).__name__)
            raise NoMoreData from None
        self._log.warning("Request body incomplete after %s seconds", self._timeout_seconds)
        raise NoMoreData
