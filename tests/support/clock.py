"""A clock that the test adjusts."""

from __future__ import annotations

import time

from core.clock import Clock

MAX_SLEEP_SECONDS = 0.01


class AdjustableClock(Clock):
    """Run like the machine's clock, moved by the test; pauses are short."""

    def __init__(self) -> None:
        self._advanced_seconds = 0.0
        self._wall_clock_error = 0.0
        self._frozen_at: float | None = None

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._advanced_seconds += seconds

    def jump_wall_clock(self, seconds: float) -> None:
        """Set the wall clock wrong by so many seconds; the monotonic clock does not notice."""
        self._wall_clock_error = seconds

    def set_wall_clock(self, seconds: float) -> None:
        """Set the wall clock to a time in seconds since 1970; only `advance` moves it then."""
        self._frozen_at = seconds - self._advanced_seconds - self._wall_clock_error

    def time(self) -> float:
        """Return the seconds since 1970."""
        now = time.time() if self._frozen_at is None else self._frozen_at
        return now + self._advanced_seconds + self._wall_clock_error

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic() + self._advanced_seconds

    def sleep(self, seconds: float) -> None:
        """Pause, but never for long; the clock does not skip the rest."""
        time.sleep(min(seconds, MAX_SLEEP_SECONDS))
