"""The reply log as workers and readers of one process use it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, event, func, select

from chat.log.buffers import LogBuffer
from chat.log.entries import Delta, Ended, Progress, ReplyState, build_reply, join_text
from chat.log.log import Log
from chat.schema import entries
from chat.turns import Turn, Turns
from core.clock import SYSTEM_CLOCK
from tests.chat.conftest import followed_texts
from tests.support.clock import AdjustableClock

pytestmark = pytest.mark.both_databases

DONE = Ended(ReplyState.COMPLETE, text="Hello")


def rows(log: Log, turn: Turn) -> int:
    with log.database.read() as connection:
        mine = entries.c.turn_id == turn.id
        return connection.execute(select(func.count()).where(mine)).scalar_one()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_accepted_messages_and_ended_replies_are_on_the_disk(log: Log, turns: Turns):
    log._flusher.wake = lambda: None
    levels: list[int] = []

    def record_level(connection: Connection) -> None:
        levels.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    event.listen(log.database.engine, "commit", record_level)
    first = turns.start_conversation("alice", "ada", "Ada", "Hello", "key")
    log.end(first.turn.id, DONE)
    turns.add("alice", first.conversation.id, "Hello", "another key")
    log.close()

    # With SQLite's level `full`, a commit returns only when the data is on the disk.
    full, normal = 2, 1
    # The first and the last transaction write and remove the heartbeat.
    assert levels == [normal] + [full] * 4 + [normal]


def test_reader_receives_appended_entries(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Progress("thinking"))
    assert next(following).entries == (Progress("thinking"),)
    log.append(turn.id, Delta("Hel"))
    assert next(following).entries == (Delta("Hel"),)
    log.end(turn.id, DONE)
    assert build_reply(next(following)).text == "Hello"
    assert list(following) == []


def test_deltas_within_one_time_slice_are_merged():
    live = LogBuffer(SYSTEM_CLOCK)
    for letter in "abcdefghij":
        live.append([Delta(letter)], slice_seconds=60)

    assert live.batch(0).entries == (Delta("a"),)
    assert [entry for _, entry in live.unflushed(0)] == [Delta("a"), Delta("bcdefghij")]


def test_long_reply_is_merged_into_larger_entries(clock: AdjustableClock):
    live, pieces = LogBuffer(clock), []
    for _ in range(300):
        clock.advance(0.125)
        live.append([Delta("x" * 1000)], slice_seconds=0.5)
        pieces.append(live.last_seq)

    # The first 28,000 characters take 7 entries. After 220,000 characters, 3 entries are enough for
    # the next 48,000.
    assert (pieces[27], pieces[267] - pieces[219]) == (7, 3)


def test_concurrent_readers_receive_the_same_text(log: Log, turn: Turn):
    whole = "".join(f"{number} " for number in range(300))
    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(followed_texts, log, turn) for _ in range(5)]
        for number in range(300):
            log.append(turn.id, Delta(f"{number} "))
        log.end(turn.id, Ended(ReplyState.COMPLETE, text=whole))
        seen = [reader.result(10) for reader in readers]

    for texts in seen:
        assert texts[-1] == whole
        assert all(whole.startswith(text) for text in texts)


def test_cursor_beyond_an_empty_log_waits_for_the_first_entry(log: Log, turn: Turn):
    following = log.follow(turn.id)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, following)
        log.append(turn.id, Delta("begun"))
        batch = first.result(10)

    assert (batch.after, join_text(batch.entries)) == (0, "begun")
    assert log._buffers.get(turn.id).wait(99, timeout=0).after == 0


def test_resuming_reader_misses_and_repeats_nothing(log: Log, turn: Turn):
    for number in range(20):
        log.append(turn.id, Delta(f"{number} "))
        log.flush()
    whole = join_text(log.read(turn.id).entries)

    for cursor in range(log.read(turn.id).last_seq + 1):
        before = log.read(turn.id).entries[:cursor]
        after = log.read(turn.id, cursor)
        assert join_text(before) + join_text(after.entries) == whole
        assert after.after == cursor


def test_unknown_cursor_reads_the_whole_log(log: Log, turn: Turn):
    log.append(turn.id, Delta("all"))

    assert log.read(turn.id, after=99).after == 0
    assert join_text(log.read(turn.id, after=99).entries) == "all"


def test_cursor_at_the_end_of_a_closed_log_reads_the_whole_log():
    live = LogBuffer(SYSTEM_CLOCK)
    live.append([Delta("Hello")], slice_seconds=0)
    live.end(DONE)

    assert live.batch(live.last_seq).entries == (Delta("Hello"), DONE)


def test_finished_log_is_stored_as_one_row(log: Log, turn: Turn):
    for number in range(50):
        log.append(turn.id, Delta(str(number)))
        log.flush()
    assert rows(log, turn) > 1

    log.end(turn.id, DONE)

    assert rows(log, turn) == 1


def test_first_end_of_a_log_wins(log: Log, turn: Turn):
    log.append(turn.id, Delta("Half"))

    assert log.end(turn.id, Ended(ReplyState.STOPPED)) is True
    assert log.end(turn.id, DONE) is False
    log.append(turn.id, Delta("late"))
    reply = build_reply(log.read(turn.id))
    assert (reply.state, reply.text) == (ReplyState.STOPPED, "Half")


def test_final_text_replaces_the_deltas(log: Log, turn: Turn):
    log.append(turn.id, Delta("Helo"))
    log.end(turn.id, DONE)

    assert build_reply(log.read(turn.id)).text == "Hello"


def test_readers_receive_the_end_of_a_reply_before_its_html_is_rendered(log: Log, turn: Turn):
    seen: list[bool] = []
    log._on_end = lambda turn_id, _text: seen.append(log.read(turn_id).is_final)
    log.end(turn.id, DONE)

    assert seen == [True]


def test_end_callbacks_run_at_the_end_and_are_refused_afterwards(log: Log, turn: Turn):
    called: list[str] = []
    log.call_on_end(turn.id, lambda: called.append("in time"))
    log.end(turn.id, DONE)

    assert called == ["in time"]
    assert log.call_on_end(turn.id, lambda: called.append("late")) is False


def test_closing_the_log_interrupts_running_replies_and_keeps_their_text(log: Log, turn: Turn):
    log.append(turn.id, Delta("So far"))
    log.close()

    reply = build_reply(log._read_stored([turn.id])[turn.id])
    assert (reply.state, reply.text) == (ReplyState.INTERRUPTED, "So far")
    assert list(log.follow(turn.id)) == []


def test_only_the_latest_progress_in_a_time_slice_is_kept():
    live = LogBuffer(SYSTEM_CLOCK)
    for percent in range(100):
        live.append([Progress("working", percent)], slice_seconds=60)
    live.append([Progress("working", 99.0)], slice_seconds=60)

    assert live.entries == (Progress("working", 0), Progress("working", 99))
