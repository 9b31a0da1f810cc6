"""The time and the pauses of a process, as an object that tests replace."""

from __future__ import annotations

import time


class Clock:
    """The clock of this machine."""

    def time(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Pause this thread."""
        time.sleep(seconds)


SYSTEM_CLOCK = Clock()
