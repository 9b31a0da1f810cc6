"""Limit of the CPU time that the rendering of one reply takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# In the long run, rendering takes at most this share of a processor.
MAX_CPU_SHARE = 0.1
# CPU time that may be used at once, before the share applies, in seconds.
BURST_SECONDS = 0.01


class CpuBudget:
    """CPU time that grows by `share` of the elapsed time, and that rendering uses up.

    A piece of work is never interrupted: after an expensive one, `wait` takes longer.
    """

    def __init__(
        self,
        share: float = MAX_CPU_SHARE,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        cpu_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """Create a budget. `cpu_time` returns the CPU time of the thread, in seconds."""
        self._share = share
        self._monotonic = monotonic
        self._sleep = sleep
        self._cpu_time = cpu_time
        # The time at which everything that was used so far is compensated.
        self._balanced_at = 0.0

    @contextmanager
    def work(self) -> Iterator[None]:
        """Measure the CPU time of the `with` block."""
        started_at = self._cpu_time()
        yield
        used = self._cpu_time() - started_at
        self._balanced_at = max(self._balanced_at, self._monotonic()) + used / self._share

    def wait(self) -> None:
        """Sleep until the budget allows the next piece of work."""
        wait_seconds = self._balanced_at - self._monotonic() - BURST_SECONDS / self._share
        if wait_seconds > 0:
            self._sleep(wait_seconds)
