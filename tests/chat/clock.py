"""A clock in the hand of the test, for those who watch whether others live."""

from __future__ import annotations

import time
from collections.abc import Callable

from chat import heartbeat


class Clock:
    """A clock of which the test moves the hands."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def __call__(self) -> float:
        return self.now


def watch(clock: Clock, look: Callable[[], object]) -> None:
    """Look now and then, until one more look is enough."""
    look()
    for _ in range(int(heartbeat.LOST_SECONDS // heartbeat.MOST_A_LOOK)):
        clock.now += heartbeat.MOST_A_LOOK
        look()
    clock.now += heartbeat.MOST_A_LOOK
