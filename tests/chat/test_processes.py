"""The log between processes: other readers, a stop from elsewhere, a producer that died."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from chat import heartbeat, stored
from chat.entries import Delta, Ended, State, fold, said
from chat.log import Log
from chat.tables import producers
from chat.turns import Turn, Turns
from database import DatabaseUnavailable
from tests.chat.conftest import shown


@pytest.mark.fault("F88")
def test_another_process_sees_the_same_text(log: Log, turn: Turn, new_log: Callable[[], Log]):
    other = new_log()
    whole = "".join(f"{number} " for number in range(30))
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(shown, other, turn)
        for number in range(30):
            log.append(turn.id, Delta(f"{number} "))
            log.flush()
        log.end(turn.id, Ended(State.COMPLETE, text=whole))
        texts = reader.result(10)

    assert texts[-1] == whole
    assert all(whole.startswith(text) for text in texts)


@pytest.mark.fault("F88")
def test_another_process_resumes_where_a_reader_was(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    for number in range(10):
        log.append(turn.id, Delta(f"{number} "))
        log.flush()
    other = new_log()
    whole = said(other.read(turn.id).entries)

    for cursor in range(1, other.read(turn.id).last):
        before = said(other.read(turn.id).entries[:cursor])
        assert before + said(other.read(turn.id, cursor).entries) == whole


class Clock:
    """A clock of which the test moves the hands."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def __call__(self) -> float:
        return self.now


def watch(clock: Clock, look: Callable[[], object]) -> None:
    """Look now and then, until one more look is enough."""
    look()
    for _ in range(int(heartbeat.LOST_SECONDS // heartbeat.MOST_A_LOOK)):
        clock.now += heartbeat.MOST_A_LOOK
        look()
    clock.now += heartbeat.MOST_A_LOOK


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(heartbeat, "monotonic", clock)
    return clock


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
    assert said(next(following).entries) == "Last words"
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


def test_many_readers_elsewhere_cost_one_look(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    looks: list[int] = []
    read_on = stored.read_on

    def counted(connection, cursors):
        looks.append(len(cursors))
        return read_on(connection, cursors)

    monkeypatch.setattr(stored, "read_on", counted)
    readers = [other.follow(turn.id) for _ in range(20)]
    log.append(turn.id, Delta("Hello"))
    log.flush()
    with ThreadPoolExecutor(20) as pool:
        batches = list(pool.map(next, readers))

    assert {said(batch.entries) for batch in batches} == {"Hello"}
    assert set(looks) == {1}
    for reader in readers:
        reader.close()
    assert other._elsewhere._mirrors == {}


def test_a_process_that_ends_takes_no_more_turns(log: Log, turns: Turns):
    log.close()
    with pytest.raises(DatabaseUnavailable):
        turns.begin("alice", "ada", "Ada", "Hello", "another key")


def test_a_stop_from_another_process_reaches_the_producer(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    hung_up: list[bool] = []
    log.when_ended(turn.id, lambda: hung_up.append(True))
    log.append(turn.id, Delta("So far"))
    log.flush()

    assert new_log().end(turn.id, Ended(State.STOPPED)) is True
    log.flush()

    assert hung_up == [True]
    log.append(turn.id, Delta("late"))
    reply = fold(log.read(turn.id))
    assert (reply.state, reply.text) == (State.STOPPED, "So far")


def test_a_reader_ahead_of_a_stop_from_elsewhere_still_gets_the_end(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("shown, not stored"))
    assert said(next(following).entries) == "shown, not stored"

    new_log().end(turn.id, Ended(State.STOPPED))
    log.flush()

    assert next(following).ended


def test_a_dead_producer_is_noticed_by_whoever_looks(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    monkeypatch.setattr(heartbeat, "LOST_SECONDS", 0.0)
    other = new_log()

    *_, last = other.follow(turn.id, other.read(turn.id).last)

    reply = fold(last)
    assert (reply.state, reply.text) == (State.INTERRUPTED, "Last words")
    assert reply.perhaps_received


def test_a_living_producer_is_left_alone(log: Log, turn: Turn, new_log: Callable[[], Log]):
    assert new_log().orphans.end([turn.id]) == []
    assert fold(log.read(turn.id)).running


def test_what_is_stored_survives_without_an_end(log: Log, turn: Turn, new_log: Callable[[], Log]):
    log.append(turn.id, Delta("Stored"))
    log.flush()

    assert said(new_log().read(turn.id).entries) == "Stored"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_database_that_comes_back_gets_what_it_missed(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("database.GIVE_UP_SECONDS", 0.0)
    other = sqlite3.connect(log.database.engine.url.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    log.append(turn.id, Delta("held meanwhile"))
    with pytest.raises(DatabaseUnavailable):
        log.flush()
    other.execute("ROLLBACK")
    other.close()

    log.flush()

    assert said(new_log().read(turn.id).entries) == "held meanwhile"
