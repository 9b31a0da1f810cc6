"""Connections of clients that send malformed requests, or do not read."""

from __future__ import annotations

import socket
from typing import Any

from gunicorn.http.errors import NoMoreData, ParseException


def limit_write_time(client: socket.socket, seconds: float) -> None:
    """Let the system close the connection if the client reads nothing for so long (Linux only)."""
    if option := getattr(socket, "TCP_USER_TIMEOUT", None):
        client.setsockopt(socket.IPPROTO_TCP, option, int(seconds * 1000))


class BodyReader:
    """Reader for which a malformed body is a truncated one: applications respond 400 to it."""

    def __init__(self, reader: Any, log: Any) -> None:
        self._reader = reader
        self._log = log

    def read(self, size: int) -> bytes:
        """Read the next bytes. Raises NoMoreData."""
        try:
            return bytes(self._reader.read(size))
        except ParseException as error:
            # The text of the error repeats what the client sent.
            self._log.warning("Malformed request body: %s", type(error).__name__)
            raise NoMoreData from None
