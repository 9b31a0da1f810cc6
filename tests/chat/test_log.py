"""What the log promises to producers and readers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from chat import heartbeat
from chat.entries import Delta, Ended, Progress, State, fold, said
from chat.live import Live
from chat.log import Log
from chat.tables import entries
from chat.turns import Turn
from database import DatabaseUnavailable

DONE = Ended(State.COMPLETE, text="Hello")


def shown(log: Log, turn: Turn) -> list[str]:
    """Follow the log as a page does, to its end, and return every text that it showed."""
    texts = [""]
    for batch in log.follow(turn.id):
        text = fold(batch).text
        whole = batch.after == 0 or batch.ended
        texts.append(text if whole else texts[-1] + text)
    return texts


def rows(log: Log, turn: Turn) -> int:
    with log.database.read() as connection:
        mine = entries.c.turn_id == turn.id
        return connection.execute(select(func.count()).where(mine)).scalar_one()


def test_a_reader_sees_what_is_appended(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Progress("thinking"))
    assert next(following).entries == (Progress("thinking"),)
    log.append(turn.id, Delta("Hel"))
    assert next(following).entries == (Delta("Hel"),)
    log.end(turn.id, DONE)
    assert fold(next(following)).html == "<p>Hello</p>"
    assert list(following) == []


def test_pieces_within_a_slice_become_one_entry(log: Log, turn: Turn):
    live = Live()
    for letter in "abcdefghij":
        live.hold([Delta(letter)], slice_seconds=60)

    assert live.batch(0).entries == (Delta("a"),)
    assert [entry for _, entry in live.take()] == [Delta("a"), Delta("bcdefghij")]


def test_five_readers_see_the_same(log: Log, turn: Turn):
    whole = "".join(f"{number} " for number in range(300))
    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(shown, log, turn) for _ in range(5)]
        for number in range(300):
            log.append(turn.id, Delta(f"{number} "))
        log.end(turn.id, Ended(State.COMPLETE, text=whole))
        seen = [reader.result(10) for reader in readers]

    for texts in seen:
        assert texts[-1] == whole
        assert all(whole.startswith(text) for text in texts)


def test_a_cursor_from_beyond_an_empty_log_waits_like_any_other(log: Log, turn: Turn):
    following = log.follow(turn.id, after=9)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, following)
        log.append(turn.id, Delta("begun"))
        batch = first.result(10)

    assert (batch.after, said(batch.entries)) == (0, "begun")
    assert log._live[turn.id].wait(99, timeout=0).after == 0


def test_a_reader_who_resumes_misses_and_repeats_nothing(log: Log, turn: Turn):
    for number in range(20):
        log.append(turn.id, Delta(f"{number} "))
        log.flush()
    whole = said(log.read(turn.id).entries)

    for cursor in range(log.read(turn.id).last + 1):
        before = log.read(turn.id).entries[:cursor]
        after = log.read(turn.id, cursor)
        assert said(before) + said(after.entries) == whole
        assert after.after == cursor


def test_a_cursor_that_the_log_does_not_know_gets_everything(log: Log, turn: Turn):
    log.append(turn.id, Delta("all"))

    assert log.read(turn.id, after=99).after == 0
    assert said(log.read(turn.id, after=99).entries) == "all"


def test_history_costs_one_row_a_turn(log: Log, turn: Turn):
    for number in range(50):
        log.append(turn.id, Delta(str(number)))
        log.flush()
    assert rows(log, turn) > 1

    log.end(turn.id, DONE)

    assert rows(log, turn) == 1


def test_the_first_end_holds(log: Log, turn: Turn):
    log.append(turn.id, Delta("Half"))

    assert log.end(turn.id, Ended(State.STOPPED)) is True
    assert log.end(turn.id, DONE) is False
    log.append(turn.id, Delta("late"))
    reply = fold(log.read(turn.id))
    assert (reply.state, reply.text) == (State.STOPPED, "Half")


def test_an_end_with_a_text_of_its_own_wins_over_the_pieces(log: Log, turn: Turn):
    log.append(turn.id, Delta("Helo"))
    log.end(turn.id, DONE)

    assert fold(log.read(turn.id)).text == "Hello"


def test_whoever_waits_for_the_end_is_called(log: Log, turn: Turn):
    called: list[str] = []
    log.when_ended(turn.id, lambda: called.append("in time"))
    log.end(turn.id, DONE)

    assert called == ["in time"]
    assert log.when_ended(turn.id, lambda: called.append("late")) is False


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


def test_closing_ends_what_runs_and_keeps_its_text(log: Log, turn: Turn):
    log.append(turn.id, Delta("So far"))
    log.close()

    reply = fold(log._read_stored([turn.id])[turn.id])
    assert (reply.state, reply.text) == (State.INTERRUPTED, "So far")
    assert list(log.follow(turn.id)) == []


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
