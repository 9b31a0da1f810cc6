"""The CPU time that the rendering of one reply may take."""

from __future__ import annotations

import pytest

from tests.support.processor import Processor
from twindow.rendering.stream.cpu_budget import (
    BURST_PAUSE_SECONDS,
    MAX_SHARE,
    MAX_SHARE_OF_ALL,
    CpuBudget,
)


@pytest.mark.parametrize("piece_seconds", [0.001, 0.02, 0.3])
def test_work_uses_a_tenth_of_a_processor_whatever_a_piece_costs(piece_seconds: float):
    processor = Processor()
    budget = processor.new_budget()
    started_at = processor.now
    while processor.used < 10:
        processor.sleep(budget.seconds_to_wait)
        with budget.work():
            processor.work(piece_seconds)
    elapsed = processor.now - started_at + BURST_PAUSE_SECONDS
    allowed = MAX_SHARE * elapsed + piece_seconds

    assert 0.9 * allowed < processor.used <= allowed


@pytest.mark.limit("L65")
@pytest.mark.parametrize("replies", [10, 100])
def test_expensive_replies_of_a_process_share_a_budget(replies: int):
    processor = Processor()
    waiting: set[CpuBudget] = set()
    budgets = [processor.new_budget(waiting) for _ in range(replies)]
    started_at = processor.now
    while processor.used < 100:
        for budget in budgets:
            if not budget.seconds_to_wait:
                with budget.work():
                    processor.work(0.02)
        processor.sleep(0.01)
    elapsed = processor.now - started_at + BURST_PAUSE_SECONDS
    allowed = MAX_SHARE_OF_ALL * elapsed + replies * 0.02

    assert 0.8 * allowed < processor.used < 1.2 * allowed


def test_cheap_replies_do_not_wait_for_expensive_ones():
    processor = Processor()
    waiting: set[CpuBudget] = set()
    expensive = [processor.new_budget(waiting) for _ in range(50)]
    cheap = processor.new_budget(waiting)
    for _ in range(100):
        for budget in expensive:
            if not budget.seconds_to_wait:
                with budget.work():
                    processor.work(0.02)
        assert cheap.seconds_to_wait == 0
        with cheap.work():
            processor.work(0.004)
        processor.sleep(0.046)


def test_work_that_fails_counts():
    processor = Processor()
    budget = processor.new_budget()
    with pytest.raises(ValueError, match="broken"), budget.work():
        processor.work(1)
        raise ValueError("broken")

    assert budget.seconds_to_wait > 5
