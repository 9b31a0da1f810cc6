"""Limit of the CPU time that the rendering of running replies takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# In the long run, the rendering of one reply, and of all replies of a process, takes at most these
# shares of a processor.
MAX_CPU_SHARE = 0.1
MAX_CPU_SHARE_OF_ALL = 0.3
# Rendering may be ahead of its share by the CPU time for a pause of this length.
BURST_PAUSE_SECONDS = 0.1


class CpuBudget:
    """CPU time that grows by a share of the elapsed time, and that rendering uses up.

    A piece of work is never interrupted: after an expensive one, the next has to wait longer.
    """

    def __init__(
        self,
        count_replies: Callable[[], int] = lambda: 1,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        cpu_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """Create the budget of one reply.

        `count_replies` returns how many replies share the processor time of this process.
        `cpu_time` returns the seconds of the thread.
        """
        self._count_replies = count_replies
        self._monotonic = monotonic
        self._cpu_time = cpu_time
        # The time at which everything that was used so far is compensated.
        self._balanced_at = 0.0

    @contextmanager
    def work(self) -> Iterator[None]:
        """Measure the CPU time of the `with` block."""
        started_at = self._cpu_time()
        try:
            yield
        finally:
            used = self._cpu_time() - started_at
            share = min(MAX_CPU_SHARE, MAX_CPU_SHARE_OF_ALL / max(1, self._count_replies()))
            self._balanced_at = max(self._balanced_at, self._monotonic()) + used / share

    @property
    def seconds_to_wait(self) -> float:
        """Return how long the next piece of work has to wait; 0 if it may begin now."""
        return max(0.0, self._balanced_at - self._monotonic() - BURST_PAUSE_SECONDS)
