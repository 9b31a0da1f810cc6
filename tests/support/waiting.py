"""Polling for a condition."""

from __future__ import annotations

import time
from collections.abc import Callable

WAIT_SECONDS = 10
POLL_SECONDS = 0.005


def wait_until(condition: Callable[[], object]) -> None:
    """Poll until the condition is true; fail after `WAIT_SECONDS`."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(POLL_SECONDS)
