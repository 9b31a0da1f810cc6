"""Short chaos tests: the guarantees hold through kill -9, SIGTERM and a burst of requests."""

import pytest

from tools.chaos import burst, crash, drain
from tools.chaos.report import failed_expectations

pytestmark = pytest.mark.usefixtures("processes")
DURATIONS = {"slowest_seconds", "exit_seconds"}


@pytest.mark.fault("F71")
def test_kill_9_loses_and_duplicates_no_message():
    report = crash.run(rounds=1, streams=6, words=20, gap=0.1)

    assert report["acknowledged"] > 0
    assert set(failed_expectations(report, crash.EXPECTATIONS)) <= DURATIONS, report


@pytest.mark.fault("F72")
def test_sigterm_tells_every_reader_to_reconnect_and_keeps_the_text():
    report = drain.run(streams=20)

    assert set(failed_expectations(report, drain.EXPECTATIONS)) <= DURATIONS, report


def test_two_service_workers_together_accept_exactly_the_hourly_quota():
    report = burst.run()

    assert failed_expectations(report, burst.EXPECTATIONS) == [], report
