"""Polling for a condition."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress

import requests

WAIT_SECONDS = 10
POLL_SECONDS = 0.005


def wait_until(condition: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
    """Poll until the condition is true; fail after `seconds`."""
    assert poll_until(condition, seconds, POLL_SECONDS)


def poll_until(condition: Callable[[], object], seconds: float, interval: float = 0.05) -> bool:
    """Poll until the condition is true, for at most `seconds`; return whether it became true."""
    deadline = time.monotonic() + seconds
    while not (is_met := bool(condition())) and time.monotonic() < deadline:
        time.sleep(interval)
    return is_met


def accepts_connections(port: int) -> bool:
    """Return whether a server listens on this port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def responds(url: str) -> bool:
    """Return whether a server answers a request without an error status."""
    with suppress(requests.RequestException):
        return requests.get(url, timeout=WAIT_SECONDS).ok
    return False
