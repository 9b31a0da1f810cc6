"""The reply log across processes: remote readers, a remote stop, and a closed log."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from chat.log import store
from chat.log.entries import Delta, Ended, ReplyState, build_reply, join_text
from chat.log.log import Log
from chat.turns import Turn, Turns
from core.db.database import DatabaseUnavailable
from tests.chat.conftest import followed_texts

pytestmark = pytest.mark.both_databases


def test_reader_in_another_process_receives_the_same_text(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    other = new_log()
    whole = "".join(f"{number} " for number in range(30))
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(followed_texts, other, turn)
        for number in range(30):
            log.append(turn.id, Delta(f"{number} "))
            log.flush()
        log.end(turn.id, Ended(ReplyState.COMPLETE, text=whole))
        texts = reader.result(10)

    assert texts[-1] == whole
    assert all(whole.startswith(text) for text in texts)


def test_another_process_resumes_from_the_cursor_of_a_reader(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    for number in range(10):
        log.append(turn.id, Delta(f"{number} "))
        log.flush()
    other = new_log()
    whole = join_text(other.read(turn.id).entries)

    for cursor in range(1, other.read(turn.id).last_seq):
        before = join_text(other.read(turn.id).entries[:cursor])
        assert before + join_text(other.read(turn.id, cursor).entries) == whole


def test_remote_readers_of_one_log_share_one_poll(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    looks: list[int] = []
    read_on = store.read_after

    def counted(connection, cursors):
        looks.append(len(cursors))
        return read_on(connection, cursors)

    monkeypatch.setattr(store, "read_after", counted)
    readers = [other.follow(turn.id) for _ in range(20)]
    log.append(turn.id, Delta("Hello"))
    log.flush()
    with ThreadPoolExecutor(20) as pool:
        batches = list(pool.map(next, readers))

    assert {join_text(batch.entries) for batch in batches} == {"Hello"}
    assert set(looks) == {1}
    for reader in readers:
        reader.close()
    assert other._remote_follower._mirrors == {}


def test_closed_log_accepts_no_new_turns(log: Log, turns: Turns):
    log.close()
    with pytest.raises(DatabaseUnavailable):
        turns.start_conversation("alice", "ada", "Ada", "Hello", "another key")


def test_stop_from_another_process_ends_the_worker(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    hung_up: list[bool] = []
    log.call_on_end(turn.id, lambda: hung_up.append(True))
    log.append(turn.id, Delta("So far"))
    log.flush()

    assert new_log().end(turn.id, Ended(ReplyState.STOPPED)) is True
    log.flush()

    assert hung_up == [True]
    log.append(turn.id, Delta("late"))
    reply = build_reply(log.read(turn.id))
    assert (reply.state, reply.text) == (ReplyState.STOPPED, "So far")


def test_reader_receives_the_end_when_another_process_stops_a_reply_with_unstored_text(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("shown, not stored"))
    assert join_text(next(following).entries) == "shown, not stored"

    new_log().end(turn.id, Ended(ReplyState.STOPPED))
    log.flush()

    assert next(following).is_final


def test_stored_entries_are_readable_before_the_reply_has_ended(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    log.append(turn.id, Delta("Stored"))
    log.flush()

    assert join_text(new_log().read(turn.id).entries) == "Stored"


def test_closing_the_log_releases_readers_of_remote_replies(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    other = new_log()
    following = other.follow(turn.id)
    log.append(turn.id, Delta("Hello"))
    log.flush()
    assert join_text(next(following).entries) == "Hello"

    other.close()

    assert list(following) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_entries_are_stored_once_the_database_lock_is_released(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    log.database.lock_timeout = 0.0
    other = sqlite3.connect(log.database.engine.url.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    log.append(turn.id, Delta("held meanwhile"))
    with pytest.raises(DatabaseUnavailable):
        log.flush()
    other.execute("ROLLBACK")
    other.close()

    log.flush()

    assert join_text(new_log().read(turn.id).entries) == "held meanwhile"
