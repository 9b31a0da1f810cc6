"""Short chaos tests: the guarantees hold through kill -9, SIGTERM and a burst of requests."""

import pytest

from tests.support.postgres import Postgres
from tools.chaos.report import failed_expectations
from tools.chaos.scenarios import burst, crash, database, drain
from tools.chaos.scenarios.database import FAULTS

pytestmark = pytest.mark.usefixtures("processes")
DURATIONS = {"slowest_seconds", "exit_seconds", "recovery_seconds"}


@pytest.mark.nightly
@pytest.mark.fault("F71")
def test_kill_9_loses_and_duplicates_no_message():
    report = crash.run(rounds=1, streams=6, words=20, gap=0.1)

    assert report["acknowledged"] > 0
    assert set(failed_expectations(report, crash.EXPECTATIONS)) <= DURATIONS, report


@pytest.mark.fault("F72")
def test_sigterm_tells_every_reader_to_reconnect_and_keeps_the_text():
    report = drain.run(streams=20)

    assert set(failed_expectations(report, drain.EXPECTATIONS)) <= DURATIONS, report


@pytest.mark.nightly
def test_two_service_workers_together_accept_exactly_the_hourly_quota():
    report = burst.run()

    assert failed_expectations(report, burst.EXPECTATIONS) == [], report


@pytest.mark.nightly
@pytest.mark.fault("F75", "F77", "F78")
def test_faults_of_postgresql_lose_and_duplicate_no_message(postgres: Postgres):
    reports = database.run(postgres.create_database(), replies=5, seconds=1)

    assert list(reports) == list(FAULTS)
    for report in reports.values():
        assert set(failed_expectations(report, database.EXPECTATIONS)) <= DURATIONS, report
