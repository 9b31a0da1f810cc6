"""A processor whose time passes only when somebody works or sleeps."""

from __future__ import annotations

from twindow.rendering.stream import CpuBudget


class Processor:
    """A clock of wall time and CPU time, in seconds."""

    def __init__(self) -> None:
        self.now, self.used = 1_000.0, 0.0

    def work(self, seconds: float) -> None:
        """Let both times pass."""
        self.now += seconds
        self.used += seconds

    def sleep(self, seconds: float) -> None:
        """Let the wall time pass, and a little more, like every real sleep."""
        self.now += seconds + 1e-6

    def new_budget(self, waiting: set[CpuBudget] | None = None) -> CpuBudget:
        """Return the CPU budget of one of several replies, which measures this processor."""
        return CpuBudget(set() if waiting is None else waiting, monotonic=lambda: self.now)
