"""Detection of disconnected clients: the first write to such a client still succeeds."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Mapping
from typing import Any


def make_disconnect_check(environ: Mapping[str, Any]) -> Callable[[], bool]:
    """Return a function that returns whether the client of this request has disconnected.

    The function does not block, and always returns False if the server does not expose the socket.
    """
    client_socket = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    if not isinstance(client_socket, socket.socket):
        return lambda: False
    return lambda: _is_disconnected(client_socket)


def _is_disconnected(client_socket: socket.socket) -> bool:
    try:
        poller = select.poll()
        poller.register(client_socket, select.POLLIN)
        return bool(poller.poll(0)) and client_socket.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True
