"""Replies whose producers are gone: only those, and all of those."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from sqlalchemy import select

from chat import heartbeat
from chat.entries import Delta, State, fold, text_of
from chat.log import Log
from chat.tables import producers
from chat.turns import Turn
from tests.chat.clock import Clock, watch

DATABASES = ["sqlite", "postgresql"]


def test_a_long_reply_keeps_its_sign_of_life(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: Clock
):
    other = new_log()
    for _ in range(10):
        clock.now += heartbeat.LOST_SECONDS / 2
        log.flush()
        assert other.orphans.end([turn.id]) == []


def test_a_producer_whose_beats_stand_still_is_gone(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: Clock
):
    log._writer.close()
    other = new_log()
    watch(clock, lambda: other.orphans.end([turn.id]))
    assert other.orphans.end([turn.id]) == [turn.id]


@pytest.mark.fault("F80")
def test_a_machine_that_was_asleep_takes_nobody_for_dead(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: Clock
):
    log._writer.close()
    other = new_log()
    assert other.orphans.end([turn.id]) == []
    clock.now += 3600
    assert other.orphans.end([turn.id]) == []


def test_clocks_that_differ_or_jump_end_no_reply(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
):
    for jump in (600, -600, 86_400):
        monkeypatch.setattr(time, "time", lambda jump=jump, real=time.time: real() + jump)
        clock.now += jump
        assert new_log().orphans.end([turn.id]) == []
        monkeypatch.undo()
        monkeypatch.setattr(heartbeat, "monotonic", clock)


def test_whoever_waited_for_the_database_takes_nobody_for_dead(
    log: Log,
    turn: Turn,
    new_log: Callable[[], Log],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
):
    """While it was locked, the living could not say that they live."""
    log._writer.close()
    other = new_log()
    watch(clock, lambda: other.orphans.end([turn.id]))
    monkeypatch.setattr("chat.orphans.CONTENDED_SECONDS", -1.0)

    assert other.orphans.end([turn.id]) == []
    monkeypatch.undo()
    monkeypatch.setattr(heartbeat, "monotonic", clock)
    assert other.orphans.end([turn.id]) == []


def test_a_log_that_nobody_writes_to_is_lost_at_once(log: Log, turn: Turn):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    log.drop(turn.id)

    assert log.orphans.end([turn.id]) == [turn.id]
    assert fold(log.read(turn.id)).text == "Last words"


def test_readers_of_a_log_that_nobody_writes_to_are_not_left_waiting(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("Last words"))
    assert text_of(next(following).entries) == "Last words"
    log.flush()
    log.drop(turn.id)

    assert fold(next(following)).state == State.INTERRUPTED


def test_what_a_dead_process_left_is_ended_though_nobody_looks(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: Clock
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    log._writer.close()
    other = new_log()
    watch(clock, other.orphans.sweep)
    assert fold(other.read(turn.id)).running
    other.orphans.sweep()

    assert fold(other.read(turn.id)).state == State.INTERRUPTED
    with log.database.read() as connection:
        assert connection.execute(select(producers)).all() == []


def test_a_sweep_leaves_the_living_alone(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: Clock
):
    other = new_log()
    for _ in range(5):
        other.orphans.sweep()
        clock.now += heartbeat.LOST_SECONDS / 2
        log.flush()

    assert fold(other.read(turn.id)).running


def test_a_dead_producer_is_noticed_by_whoever_looks(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    monkeypatch.setattr(heartbeat, "LOST_SECONDS", 0.0)
    other = new_log()

    *_, last = other.follow(turn.id)

    reply = fold(last)
    assert (reply.state, reply.text) == (State.INTERRUPTED, "Last words")
    assert reply.perhaps_received


def test_a_living_producer_is_left_alone(log: Log, turn: Turn, new_log: Callable[[], Log]):
    assert new_log().orphans.end([turn.id]) == []
    assert fold(log.read(turn.id)).running
