"""A database that is away for a while: the living are not taken for dead, nor replies for bugs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import exc

from chat.log import heartbeat
from chat.log.entries import Delta, Ended, ReplyState, build_reply
from chat.log.log import Log
from chat.quota import Quota
from chat.turns import Turn
from core.database import DatabaseUnavailable
from tests.chat.conftest import advance_until_workers_are_stale
from tests.support.clock import AdjustableClock

DATABASES = ["sqlite", "postgresql"]


def test_an_outage_ends_nobody_who_could_not_beat(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: AdjustableClock,
):
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, lambda: other.recovery.interrupt_abandoned([turn.id]))
    with pytest.raises(DatabaseUnavailable), other.database.read():
        raise exc.OperationalError("away", {}, Exception())

    assert other.recovery.interrupt_abandoned([turn.id]) == []
    clock.advance(heartbeat.MAX_OBSERVATION_SECONDS)
    assert other.recovery.interrupt_abandoned([turn.id]) == [turn.id]


def test_a_pool_that_is_used_up_is_a_database_that_is_away(log: Log):
    with pytest.raises(DatabaseUnavailable), log.database.read():
        raise exc.TimeoutError("QueuePool limit")


def test_reading_of_other_logs_continues_after_faults(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    recovered = threading.Event()
    wait, faults = other._notifier.wait, [exc.TimeoutError("QueuePool limit"), RuntimeError("bug")]

    def flaky() -> None:
        if faults:
            raise faults.pop()
        recovered.set()
        wait()

    monkeypatch.setattr(other._notifier, "wait", flaky)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: [build_reply(batch).state for batch in other.follow(turn.id)])
        recovered.wait(10)
        log.append(turn.id, Delta("Hello"))
        log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hello"))

        assert reader.result(10)[-1] == ReplyState.COMPLETE
    assert recovered.is_set()


def test_what_is_noted_of_the_key_is_not_worth_an_exception(
    quota: Quota, monkeypatch: pytest.MonkeyPatch
):
    def away():
        raise DatabaseUnavailable

    monkeypatch.setattr(quota.database, "read", away)
    monkeypatch.setattr(quota.database, "write", away)

    quota.record_acceptance()
    quota.record_forbidden()
    assert quota.record_refusal(60) > 0
    assert quota.status().can_send
