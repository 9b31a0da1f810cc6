"""Clock of a process: the time and pauses, as an object that tests can replace."""

from __future__ import annotations

import time


class Clock:
    """The system clock."""

    def time(self) -> float:
        """Return the Unix time in seconds."""
        return time.time()

    def server_time(self, reported_time: float) -> float:
        """Return the Unix time that a server has reported; a clock for tests can shift it."""
        return reported_time

    def monotonic(self) -> float:
        """Return a monotonic time in seconds."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Block the current thread."""
        time.sleep(seconds)


SYSTEM_CLOCK = Clock()
