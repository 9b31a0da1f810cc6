"""Whether the client of a running request has gone: a write would tell only the time after next."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Mapping
from typing import Any

SOCKETS = ("gunicorn.socket", "werkzeug.socket")


def watch(environ: Mapping[str, Any]) -> Callable[[], bool]:
    """Return a question to ask now and then while answering this request."""
    client = next((environ[name] for name in SOCKETS if environ.get(name) is not None), None)
    if not isinstance(client, socket.socket):
        return lambda: False
    return lambda: _has_hung_up(client)


def _has_hung_up(client: socket.socket) -> bool:
    try:
        poll = select.poll()
        poll.register(client, select.POLLIN)
        return bool(poll.poll(0)) and client.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True
