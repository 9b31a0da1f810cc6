"""Replies whose producers are gone: only those, and all of those."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from chat.log.entries import Delta, ReplyState, build_reply, join_text
from chat.log.heartbeat import Heartbeat
from chat.log.log import Log
from chat.schema import producers
from chat.turns import Turn
from tests.chat.conftest import advance_until_workers_are_stale
from tests.support.clock import AdjustableClock

DATABASES = ["sqlite", "postgresql"]


def test_a_long_reply_keeps_its_sign_of_life(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    other = new_log()
    for _ in range(10):
        clock.advance(Heartbeat.stale_after_seconds / 2)
        log.flush()
        assert other.recovery.interrupt_abandoned([turn.id]) == []


def test_a_producer_whose_beats_stand_still_is_gone(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, lambda: other.recovery.interrupt_abandoned([turn.id]))
    assert other.recovery.interrupt_abandoned([turn.id]) == [turn.id]


@pytest.mark.fault("F80")
def test_a_machine_that_was_asleep_takes_nobody_for_dead(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log._flusher.close()
    other = new_log()
    assert other.recovery.interrupt_abandoned([turn.id]) == []
    clock.advance(3600)
    assert other.recovery.interrupt_abandoned([turn.id]) == []


def test_clocks_that_differ_or_jump_end_no_reply(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: AdjustableClock,
):
    for jump in (600, -600, 86_400):
        clock.jump_wall_clock(jump)
        clock.advance(jump)
        assert new_log().recovery.interrupt_abandoned([turn.id]) == []


def test_whoever_waited_for_the_database_takes_nobody_for_dead(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: AdjustableClock,
):
    """While it was locked, the living could not say that they live."""
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, lambda: other.recovery.interrupt_abandoned([turn.id]))
    other.recovery.max_lock_wait_seconds = -1.0

    assert other.recovery.interrupt_abandoned([turn.id]) == []
    other.recovery.max_lock_wait_seconds = 0.5
    assert other.recovery.interrupt_abandoned([turn.id]) == []


def test_a_log_that_nobody_writes_to_is_lost_at_once(log: Log, turn: Turn):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    log.drop_buffer(turn.id)

    assert log.recovery.interrupt_abandoned([turn.id]) == [turn.id]
    assert build_reply(log.read(turn.id)).text == "Last words"


def test_readers_of_a_log_that_nobody_writes_to_are_not_left_waiting(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("Last words"))
    assert join_text(next(following).entries) == "Last words"
    log.flush()
    log.drop_buffer(turn.id)

    assert build_reply(next(following)).state == ReplyState.INTERRUPTED


def test_what_a_dead_process_left_is_ended_though_nobody_looks(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, other.recovery.sweep)
    assert build_reply(other.read(turn.id)).is_running
    other.recovery.sweep()

    assert build_reply(other.read(turn.id)).state == ReplyState.INTERRUPTED
    with log.database.read() as connection:
        assert connection.execute(select(producers)).all() == []


def test_a_sweep_leaves_the_living_alone(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    other = new_log()
    for _ in range(5):
        other.recovery.sweep()
        clock.advance(Heartbeat.stale_after_seconds / 2)
        log.flush()

    assert build_reply(other.read(turn.id)).is_running


def test_a_dead_producer_is_noticed_by_whoever_looks(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    other = new_log()
    other.heartbeat.stale_after_seconds = 0.0

    *_, last = other.follow(turn.id)

    reply = build_reply(last)
    assert (reply.state, reply.text) == (ReplyState.INTERRUPTED, "Last words")
    assert reply.perhaps_received


def test_a_living_producer_is_left_alone(log: Log, turn: Turn, new_log: Callable[[], Log]):
    assert new_log().recovery.interrupt_abandoned([turn.id]) == []
    assert build_reply(log.read(turn.id)).is_running
