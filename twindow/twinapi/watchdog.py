"""Deadlines enforced by a thread, because a socket timeout restarts with every byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def deadline(seconds: float, abort: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `abort`, from another thread, after `seconds`; the event says whether they are over."""
    has_passed = threading.Event()
    expires_at = time.monotonic() + seconds

    def check(now: float) -> None:
        if now > expires_at and not has_passed.is_set():
            has_passed.set()
            abort()

    with watchdog.watch(check):
        yield has_passed
