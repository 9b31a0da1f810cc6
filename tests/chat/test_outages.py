"""A database that is away for a while: the living are not taken for dead, nor replies for bugs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import exc

from chat.log import heartbeat
from chat.log.entries import Delta, Ended, State, fold
from chat.log.log import Log
from chat.quota import Allowance
from chat.turns import Turn
from core.database import DatabaseUnavailable
from tests.chat.conftest import watch
from tests.support.clock import AdjustableClock

DATABASES = ["sqlite", "postgresql"]


def test_an_outage_ends_nobody_who_could_not_beat(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: AdjustableClock,
):
    log._writer.close()
    other = new_log()
    watch(clock, lambda: other.orphans.end([turn.id]))
    with pytest.raises(DatabaseUnavailable), other.database.read():
        raise exc.OperationalError("away", {}, Exception())

    assert other.orphans.end([turn.id]) == []
    clock.advance(heartbeat.MOST_A_LOOK)
    assert other.orphans.end([turn.id]) == [turn.id]


def test_a_pool_that_is_used_up_is_a_database_that_is_away(log: Log):
    with pytest.raises(DatabaseUnavailable), log.database.read():
        raise exc.TimeoutError("QueuePool limit")


def test_reading_of_other_logs_continues_after_faults(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    recovered = threading.Event()
    wait, faults = other._bell.wait, [exc.TimeoutError("QueuePool limit"), RuntimeError("bug")]

    def flaky() -> None:
        if faults:
            raise faults.pop()
        recovered.set()
        wait()

    monkeypatch.setattr(other._bell, "wait", flaky)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: [fold(batch).state for batch in other.follow(turn.id)])
        recovered.wait(10)
        log.append(turn.id, Delta("Hello"))
        log.end(turn.id, Ended(State.COMPLETE, text="Hello"))

        assert reader.result(10)[-1] == State.COMPLETE
    assert recovered.is_set()


def test_what_is_noted_of_the_key_is_not_worth_an_exception(
    allowance: Allowance, monkeypatch: pytest.MonkeyPatch
):
    def away():
        raise DatabaseUnavailable

    monkeypatch.setattr(allowance.database, "read", away)
    monkeypatch.setattr(allowance.database, "write", away)

    allowance.accepted()
    allowance.forbidden()
    assert allowance.refused(60) > 0
    assert allowance.outlook().may_write
