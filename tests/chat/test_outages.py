"""Database outages: live workers are not taken for dead, and errors do not end replies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import exc

from chat.log import heartbeat
from chat.log.entries import Delta, Ended, ReplyState, build_reply
from chat.log.log import Log
from chat.turns import Turn
from core.db.database import DatabaseUnavailable
from tests.chat.conftest import advance_until_workers_are_stale
from tests.support.clock import AdjustableClock

pytestmark = pytest.mark.both_databases


def test_database_outage_does_not_make_live_workers_count_as_dead(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: AdjustableClock,
):
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, lambda: other.interrupt_abandoned([turn.id]))
    with pytest.raises(DatabaseUnavailable), other.database.read():
        raise exc.OperationalError("away", {}, Exception())

    assert other.interrupt_abandoned([turn.id]) == []
    clock.advance(heartbeat.MAX_OBSERVATION_SECONDS)
    assert other.interrupt_abandoned([turn.id]) == [turn.id]


def test_remote_follower_continues_after_exceptions(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    recovered = threading.Event()
    follower = other._remote_follower
    poll, faults = follower._poll, [exc.TimeoutError("QueuePool limit"), RuntimeError("bug")]

    def flaky(turn_ids: Sequence[str]) -> None:
        if faults and threading.current_thread() is follower._thread:
            raise faults.pop()
        recovered.set()
        poll(turn_ids)

    monkeypatch.setattr(follower, "_poll", flaky)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: [build_reply(batch).state for batch in other.follow(turn.id)])
        recovered.wait(10)
        log.append(turn.id, Delta("Hello"))
        log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hello"))

        assert reader.result(10)[-1] == ReplyState.COMPLETE
    assert recovered.is_set()
