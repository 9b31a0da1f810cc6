"""Limit of the time that the rendering of running replies takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# In the long run, the rendering of one reply, and of all replies of a process that have used up
# their budget, takes at most these shares of the time.
MAX_SHARE = 0.1
MAX_SHARE_OF_ALL = 0.2
# Rendering may be ahead of its share by the time for a pause of this length.
BURST_PAUSE_SECONDS = 0.1


class CpuBudget:
    """Time that grows by a share of the elapsed time, and that rendering uses up.

    A piece of work is never interrupted: after an expensive one, the next has to wait longer. It
    blocks all other work of the process, so its time on the clock counts. The replies of a process
    whose work has to wait have equal parts of `MAX_SHARE_OF_ALL`.
    """

    def __init__(self, waiting: set[CpuBudget], *, monotonic: Callable[[], float]) -> None:
        """Create the budget of one reply; `waiting` is a set that all replies share."""
        self._waiting = waiting
        self._monotonic = monotonic
        # The time at which everything that was used so far is compensated.
        self._balanced_at = 0.0

    @contextmanager
    def work(self) -> Iterator[None]:
        """Measure the time of the `with` block."""
        started_at = self._monotonic()
        try:
            yield
        finally:
            ended_at = self._monotonic()
            used, balanced_at = ended_at - started_at, max(self._balanced_at, ended_at)
            self._balanced_at = balanced_at + used / MAX_SHARE
            if self.seconds_to_wait:
                self._balanced_at = balanced_at + used / self._share_of_waiting()

    def _share_of_waiting(self) -> float:
        """Return the share of a reply whose work has to wait."""
        self._waiting.difference_update(
            [each for each in self._waiting if not each.seconds_to_wait]
        )
        self._waiting.add(self)
        return min(MAX_SHARE, MAX_SHARE_OF_ALL / len(self._waiting))

    @property
    def seconds_to_wait(self) -> float:
        """Return how long the next piece of work has to wait; 0 if it may begin now."""
        return max(0.0, self._balanced_at - self._monotonic() - BURST_PAUSE_SECONDS)
