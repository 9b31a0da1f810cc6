"""The log between processes: other readers, a stop from elsewhere, a producer that died."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from chat import heartbeat
from chat.entries import Delta, Ended, State, fold, said
from chat.log import Log
from chat.turns import Turn
from database import DatabaseUnavailable
from tests.chat.conftest import shown


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


def test_a_long_reply_keeps_its_sign_of_life(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    now = time.time() + 60
    monkeypatch.setattr(heartbeat.time, "time", lambda: now)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.0)
    log.flush()

    assert other.end_if_lost(turn.id) is False


def test_a_log_that_nobody_writes_to_is_lost_at_once(log: Log, turn: Turn):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    log.drop(turn.id)

    assert log.end_if_lost(turn.id) is True
    assert fold(log.read(turn.id)).text == "Last words"


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
    assert new_log().end_if_lost(turn.id) is False
    assert fold(log.read(turn.id)).running


def test_what_is_stored_survives_without_an_end(log: Log, turn: Turn, new_log: Callable[[], Log]):
    log.append(turn.id, Delta("Stored"))
    log.flush()

    assert said(new_log().read(turn.id).entries) == "Stored"


def test_a_database_that_comes_back_gets_what_it_missed(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat.log.RETRY_SECONDS", 0.0)
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
