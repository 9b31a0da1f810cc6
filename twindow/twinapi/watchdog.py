"""Deadlines enforced by a thread, because a socket timeout restarts with every byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

CHECK_SECONDS = 0.25


# Aborts something if a deadline has passed; the argument is from time.monotonic().
Check = Callable[[float], None]


class Watchdog:
    """Call all checks every `CHECK_SECONDS`, from one thread that sleeps in between."""

    def __init__(self) -> None:
        self._checks: set[Check] = set()
        self._has_checks = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, check: Check) -> Iterator[None]:
        """Call a check while the block runs."""
        self._checks.add(check)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True, name="watchdog")
            self._thread.start()
        self._has_checks.set()
        try:
            yield
        finally:
            self._checks.discard(check)

    def _run(self) -> None:
        while True:
            # Clear the event before the checks, so that one added meanwhile sets it again.
            self._has_checks.clear()
            if not self._checks:
                self._has_checks.wait()
            for check in tuple(self._checks):
                check(time.monotonic())
            time.sleep(CHECK_SECONDS)


watchdog = Watchdog()


class Deadline:
    """Context manager that calls `abort`, from another thread, after `seconds`."""

    def __init__(self, seconds: float, abort: Callable[[], None]) -> None:
        self.has_passed = False
        self._expires_at = time.monotonic() + seconds
        self._abort = abort
        self._watch = watchdog.watch(self._check)

    def __enter__(self) -> Self:
        self._watch.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._watch.__exit__(None, None, None)

    def _check(self, now: float) -> None:
        if now > self._expires_at and not self.has_passed:
            self.has_passed = True
            self._abort()
