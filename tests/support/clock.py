"""A clock that a test controls."""

from __future__ import annotations

import copy
import time
from typing import Self

from twindow.core.clock import Clock

MAX_SLEEP_SECONDS = 0.01


class AdjustableClock(Clock):
    """A clock that follows the system clock until a test adjusts it; `sleep` returns early."""

    def __init__(self) -> None:
        self._advanced_seconds = 0.0
        self._wall_clock_error = 0.0
        self._frozen_at: float | None = None

    def advance(self, seconds: float) -> None:
        """Move the wall clock and the monotonic clock forward."""
        self._advanced_seconds += seconds

    def advance_to_whole_hour(self) -> None:
        """Move to the start of an hour, so that no window of a limit ends during a test.

        The clock moves at least an hour, so a test that confuses it with the system clock fails.
        """
        self.advance(2 * 3_600 - self.time() % 3_600)

    def skewed(self, seconds: float) -> Self:
        """Return the clock of another machine, whose wall clock is `seconds` ahead."""
        clock = copy.copy(self)
        clock.jump_wall_clock(seconds)
        return clock

    def jump_wall_clock(self, seconds: float) -> None:
        """Offset the wall clock by this many seconds; the monotonic clock is not affected."""
        self._wall_clock_error = seconds

    def set_wall_clock(self, seconds: float) -> None:
        """Freeze the wall clock at a Unix timestamp; from then on only `advance` moves it."""
        self._frozen_at = seconds - self._advanced_seconds - self._wall_clock_error

    def time(self) -> float:
        """Return the wall clock as a Unix timestamp in seconds."""
        now = time.time() if self._frozen_at is None else self._frozen_at
        return now + self._advanced_seconds + self._wall_clock_error

    def server_time(self, reported_time: float) -> float:
        """Return a time that a server has reported, changed by `advance` and `set_wall_clock`.

        `jump_wall_clock` does not change this time.
        """
        now = reported_time if self._frozen_at is None else self._frozen_at
        return now + self._advanced_seconds

    def monotonic(self) -> float:
        """Return the monotonic clock in seconds."""
        return time.monotonic() + self._advanced_seconds

    def sleep(self, seconds: float) -> None:
        """Pause for at most `MAX_SLEEP_SECONDS`; the clock advances only by the real pause."""
        time.sleep(min(seconds, MAX_SLEEP_SECONDS))
