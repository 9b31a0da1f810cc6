"""The CPU time that the rendering of one reply may take."""

from __future__ import annotations

import pytest

from rendering.stream.cpu_budget import (
    BURST_PAUSE_SECONDS,
    MAX_CPU_SHARE,
    MAX_CPU_SHARE_OF_ALL,
)
from tests.support.processor import Processor


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
    allowed = MAX_CPU_SHARE * elapsed + piece_seconds

    assert 0.9 * allowed < processor.used <= allowed


@pytest.mark.limit("L65")
@pytest.mark.parametrize("replies", [10, 100])
def test_all_replies_of_a_process_share_a_budget(replies: int):
    processor = Processor()
    budgets = [processor.new_budget(replies) for _ in range(replies)]
    started_at = processor.now
    while processor.used < 100:
        for budget in budgets:
            if not budget.seconds_to_wait:
                with budget.work():
                    processor.work(0.02)
        processor.sleep(0.01)
    elapsed = processor.now - started_at + BURST_PAUSE_SECONDS
    allowed = MAX_CPU_SHARE_OF_ALL * elapsed + replies * 0.02

    assert 0.8 * allowed < processor.used <= allowed


def test_cheap_pieces_do_not_wait():
    processor = Processor()
    budget = processor.new_budget()
    for _ in range(100):
        assert budget.seconds_to_wait == 0
        with budget.work():
            processor.work(0.004)
        processor.sleep(0.046)


def test_work_that_fails_counts():
    processor = Processor()
    budget = processor.new_budget()
    with pytest.raises(ValueError, match="broken"), budget.work():
        processor.work(1)
        raise ValueError("broken")

    assert budget.seconds_to_wait > 5
