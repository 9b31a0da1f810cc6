"""Deadlines that hold whatever trickles in: a socket's own time-out starts anew with every byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

CHECK_SECONDS = 0.25


class Watchable:
    """Be asked now and then whether time is up."""

    def check(self, now: float) -> None:
        """Act when a deadline has passed; `now` is time.monotonic()."""
        raise NotImplementedError


class Watchdog:
    """Look at what is watched four times a second, from one thread that sleeps in between."""

    def __init__(self) -> None:
        self._watchables: set[Watchable] = set()
        self._has_watchables = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, watchable: Watchable) -> Iterator[None]:
        """Watch for as long as the block runs."""
        self._watchables.add(watchable)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True, name="deadlines")
            self._thread.start()
        self._has_watchables.set()
        try:
            yield
        finally:
            self._watchables.discard(watchable)

    def _run(self) -> None:
        while True:
            self._has_watchables.clear()  # before the look: who comes in between sets it again
            if not self._watchables:
                self._has_watchables.wait()
            for watchable in tuple(self._watchables):
                watchable.check(time.monotonic())
            time.sleep(CHECK_SECONDS)


watchdog = Watchdog()


class Deadline(Watchable):
    """Call `hang_up`, from another thread, when the block takes longer than `seconds`."""

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
        """Hang up when the time is over."""
        if now > self._expires_at and not self.has_passed:
            self.has_passed = True
            self._abort()
