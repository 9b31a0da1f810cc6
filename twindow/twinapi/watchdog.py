"""Deadlines enforced by a thread, because a socket timeout restarts with every byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

CHECK_SECONDS = 0.25


class Watchable:
    """Object whose deadlines a Watchdog checks."""

    def check(self, now: float) -> None:
        """Abort if a deadline has passed; `now` is from time.monotonic()."""
        raise NotImplementedError


class Watchdog:
    """Check all watched objects every `CHECK_SECONDS`, from one thread that sleeps in between."""

    def __init__(self) -> None:
        self._watchables: set[Watchable] = set()
        self._has_watchables = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, watchable: Watchable) -> Iterator[None]:
        """Watch an object while the block runs."""
        self._watchables.add(watchable)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True, name="watchdog")
            self._thread.start()
        self._has_watchables.set()
        try:
            yield
        finally:
            self._watchables.discard(watchable)

    def _run(self) -> None:
        while True:
            # Clear the event before the check, so that an object added meanwhile sets it again.
            self._has_watchables.clear()
            if not self._watchables:
                self._has_watchables.wait()
            for watchable in tuple(self._watchables):
                watchable.check(time.monotonic())
            time.sleep(CHECK_SECONDS)


watchdog = Watchdog()


class Deadline(Watchable):
    """Context manager that calls `abort`, from another thread, after `seconds`."""

    def __init__(self, seconds: float, abort: Callable[[], None]) -> None:
        self.has_passed = False
        self._expires_at = time.monotonic() + seconds
        self._abort = abort
        self._watch = watchdog.watch(self)

    def __enter__(self) -> Self:
        self._watch.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._watch.__exit__(None, None, None)

    def check(self, now: float) -> None:
        """Call `abort`, once, when the time is over."""
        if now > self._expires_at and not self.has_passed:
            self.has_passed = True
            self._abort()
