"""How late a busy process is."""

from __future__ import annotations

import threading

import pytest

from core.server.event_loop_lag import EventLoopLag


class BusyProcess:
    """A process in which each pause takes longer; it is needed for some pauses only."""

    def __init__(self, late_seconds: float, pauses: int) -> None:
        self._late_seconds = late_seconds
        self._count = pauses
        self._now = 1_000.0
        self.values: list[float] = []
        self.pauses: list[float] = []
        self.lag = EventLoopLag(monotonic=lambda: self._now, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self._now += seconds + self._late_seconds

    def measure(self) -> None:
        """Measure until the process is idle."""
        is_over = threading.Event()

        def is_needed() -> bool:
            self.values.append(self.lag.seconds)
            self.pauses.append(self.lag.pause_seconds())
            if len(self.values) <= self._count:
                return True
            is_over.set()
            return False

        self.lag.measure_while(is_needed)
        assert is_over.wait(5)


def test_lag_approaches_the_delay_of_pauses():
    process = BusyProcess(late_seconds=0.02, pauses=60)
    process.measure()

    assert process.values[0] == 0
    assert process.values[-1] == pytest.approx(0.02, rel=0.01)


def test_pauses_in_time_have_no_lag():
    process = BusyProcess(late_seconds=0, pauses=5)
    process.measure()

    assert process.values == pytest.approx([0] * 6)


@pytest.mark.parametrize(("late_seconds", "pause_seconds"), [(0.0009, 0), (0.005, 0.24), (10, 0.5)])
def test_pause_follows_the_lag_of_a_busy_process_up_to_half_a_second(
    late_seconds: float, pause_seconds: float
):
    process = BusyProcess(late_seconds, pauses=60)
    process.measure()

    assert process.pauses[-1] == pytest.approx(pause_seconds, rel=0.01)


@pytest.mark.parametrize(("pauses", "warnings"), [(20, 0), (40, 1), (150, 2)])
def test_process_that_stays_busy_logs_one_warning_a_minute(
    caplog: pytest.LogCaptureFixture, pauses: int, warnings: int
):
    BusyProcess(late_seconds=0.5, pauses=pauses).measure()  # 0.55 seconds each

    messages = [record.message.partition(":")[0] for record in caplog.records]
    assert messages == ["This process is busy"] * warnings


def test_lag_is_measured_as_long_as_one_of_several_users_needs_it():
    lag = EventLoopLag(sleep=lambda _: None)
    first_has_ended, is_over = threading.Event(), threading.Event()
    answers = iter((True, True))

    def is_needed_by_second() -> bool:
        if next(answers, False):
            return True
        is_over.set()
        return False

    lag.measure_while(lambda: not first_has_ended.is_set())
    lag.measure_while(is_needed_by_second)
    first_has_ended.set()

    assert is_over.wait(5)
