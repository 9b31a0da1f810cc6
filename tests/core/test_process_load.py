"""How busy a process is, and how late."""

from __future__ import annotations

import threading

import pytest

from twindow.core.server.process_load import ProcessLoad


class BusyProcess:
    """A process whose pauses are late; it uses a share of a processor, for some pauses only."""

    def __init__(self, pauses: int, *, late_seconds: float = 0, share: float = 0) -> None:
        self._late_seconds = late_seconds
        self._share = share
        self._count = pauses
        self._now = 1_000.0
        self.lags: list[float] = []
        self.pauses: list[float] = []
        self.load = ProcessLoad(
            monotonic=lambda: self._now,
            sleep=self._sleep,
            cpu_time=lambda: self._now * self._share,
        )

    def _sleep(self, seconds: float) -> None:
        self._now += seconds + self._late_seconds

    def measure(self) -> None:
        """Measure until the process is idle."""
        is_over = threading.Event()

        def is_needed() -> bool:
            self.lags.append(self.load.lag_seconds)
            self.pauses.append(self.load.pause_seconds())
            if len(self.lags) <= self._count:
                return True
            is_over.set()
            return False

        self.load.measure_while(is_needed)
        assert is_over.wait(5)


def test_lag_approaches_the_delay_of_pauses():
    process = BusyProcess(60, late_seconds=0.02)
    process.measure()

    assert process.lags[0] == 0
    assert process.lags[-1] == pytest.approx(0.02, rel=0.01)
    in_time = BusyProcess(5)
    in_time.measure()
    assert in_time.lags == pytest.approx([0] * 6)


def test_pause_follows_the_use_of_the_processor_up_to_half_a_second():
    for share, pause_seconds in [(0.4, 0), (0.65, 0.25), (0.9, 0.5), (2, 0.5)]:
        process = BusyProcess(100, share=share)
        process.measure()

        assert process.pauses[-1] == pytest.approx(pause_seconds, abs=0.005)


def test_timer_that_other_programs_make_late_causes_no_pause():
    process = BusyProcess(60, late_seconds=0.5, share=0.2)
    process.measure()

    assert set(process.pauses) == {0}


@pytest.mark.parametrize(("pauses", "warnings"), [(10, 0), (40, 1), (150, 2)])
def test_process_that_stays_busy_logs_one_warning_a_minute(
    caplog: pytest.LogCaptureFixture, pauses: int, warnings: int
):
    BusyProcess(pauses, late_seconds=0.5).measure()  # 0.75 seconds each

    messages = [record.message.partition(":")[0] for record in caplog.records]
    assert messages == ["This process is busy"] * warnings


def test_load_is_measured_as_long_as_one_of_several_users_needs_it():
    load = ProcessLoad(sleep=lambda _: None)
    first_has_ended, is_over = threading.Event(), threading.Event()
    answers = iter((True, True))

    def is_needed_by_second() -> bool:
        if next(answers, False):
            return True
        is_over.set()
        return False

    load.measure_while(lambda: not first_has_ended.is_set())
    load.measure_while(is_needed_by_second)
    first_has_ended.set()

    assert is_over.wait(5)
