"""Deadlines that hold whatever trickles in: a socket's own time-out starts anew with every byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

TICK_SECONDS = 0.25


class Watched:
    """Be asked now and then whether time is up."""

    def check(self, now: float) -> None:
        """Act when a deadline has passed; `now` is time.monotonic()."""
        raise NotImplementedError


class Watchdog:
    """Look at what is watched four times a second, from one thread that sleeps in between."""

    def __init__(self) -> None:
        self._watched: set[Watched] = set()
        self._any = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(self, watched: Watched) -> Iterator[None]:
        """Watch for as long as the block runs."""
        self._watched.add(watched)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, daemon=True, name="deadlines")
            self._thread.start()
        self._any.set()
        try:
            yield
        finally:
            self._watched.discard(watched)

    def _look(self) -> None:
        while True:
            self._any.clear()  # before the look: who comes in between sets it again
            if not self._watched:
                self._any.wait()
            for watched in tuple(self._watched):
                watched.check(time.monotonic())
            time.sleep(TICK_SECONDS)


watchdog = Watchdog()


class Deadline(Watched):
    """Call `hang_up`, from another thread, when the block takes longer than `seconds`."""

    def __init__(self, seconds: float, hang_up: Callable[[], None]) -> None:
        self.passed = False
        self._at = time.monotonic() + seconds
        self._hang_up = hang_up
        self._watching = watchdog.watching(self)

    def __enter__(self) -> Self:
        self._watching.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._watching.__exit__(None, None, None)

    def check(self, now: float) -> None:
        """Hang up when the time is over."""
        if now > self._at and not self.passed:
            self.passed = True
            self._hang_up()
