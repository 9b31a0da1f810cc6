"""The CPU time that the rendering of one reply may take."""

from __future__ import annotations

import pytest

from rendering.stream.cpu_budget import BURST_SECONDS, MAX_CPU_SHARE, CpuBudget


class Processor:
    """A processor whose time passes only when somebody works or sleeps."""

    def __init__(self) -> None:
        self.now = self.used = 0.0

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.used += seconds

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def budget(self) -> CpuBudget:
        return CpuBudget(monotonic=lambda: self.now, sleep=self.sleep, cpu_time=lambda: self.used)


@pytest.mark.fault("F73")
@pytest.mark.limit("L64")
def test_rendering_uses_a_tenth_of_a_processor_whatever_a_piece_costs():
    for piece_seconds in (0.001, 0.02, 0.3):
        processor = Processor()
        budget = processor.budget()
        processor.now = 1_000.0
        while processor.used < 10:
            budget.wait()
            with budget.work():
                processor.work(piece_seconds)
        allowed = BURST_SECONDS + MAX_CPU_SHARE * (processor.now - 1_000) + piece_seconds

        assert 0.9 * allowed < processor.used <= allowed


def test_cheap_pieces_do_not_wait():
    processor = Processor()
    budget = processor.budget()
    for _ in range(100):
        budget.wait()
        with budget.work():
            processor.work(0.004)
        processor.sleep(0.046)

    assert processor.now == pytest.approx(100 * 0.05)
