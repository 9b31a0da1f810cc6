"""The reply log as workers and readers use it. `test_log_states.py` holds its states."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.chat.conftest import followed_texts, start_conversation
from tests.support.clock import AdjustableClock
from tests.support.databases import FULL, NORMAL, on_sqlite, record_commit_levels
from tests.support.waiting import wait_until
from twindow.chat.log.buffers import LogBuffer
from twindow.chat.log.entries import Ended, ReplyState, build_reply, join_text
from twindow.chat.log.log import Log
from twindow.chat.submissions import Submissions, SubmittedMessage
from twindow.chat.turns import Turn
from twindow.core.clock import SYSTEM_CLOCK
from twindow.twinapi import Delta, Progress

DONE = Ended(ReplyState.COMPLETE, text="Hello")


@on_sqlite
def test_accepted_messages_and_ended_replies_are_on_the_disk(log: Log, submissions: Submissions):
    log._flusher.wake = lambda: None
    levels = record_commit_levels(log.database)
    first = start_conversation(submissions)
    log.end(first.turn.id, DONE)
    submissions.add_turn(first.conversation, SubmittedMessage("Hello", "another key"))
    log.close()

    # The first and the last transaction write and remove the heartbeat.
    assert levels == [NORMAL] + [FULL] * 4 + [NORMAL]


def test_reader_receives_progress_and_text_as_they_are_appended(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Progress("thinking"))
    assert next(following).entries == (Progress("thinking"),)
    log.append(turn.id, Delta("Hel"))
    assert next(following).entries == (Delta("Hel"),)
    log.end(turn.id, DONE)
    assert build_reply(next(following)).text == "Hello"
    assert list(following) == []


def test_readers_in_all_processes_receive_the_same_text(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    whole = "".join(f"{number} " for number in range(300))
    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(followed_texts, each, turn) for each in [*[log] * 4, new_log()]]
        for number in range(300):
            log.append(turn.id, Delta(f"{number} "))
        log.end(turn.id, Ended(ReplyState.COMPLETE, text=whole))
        seen = [reader.result(10) for reader in readers]

    for texts in seen:
        assert texts[-1] == whole
        assert all(whole.startswith(text) for text in texts)


def test_deltas_within_one_time_slice_are_merged():
    live = LogBuffer(SYSTEM_CLOCK)
    for letter in "abcdefghij":
        live.append([Delta(letter)], slice_seconds=60)

    assert live.batch(0).entries == (Delta("a"),)
    assert [entry for _, entry in live.unflushed(0)] == [Delta("a"), Delta("bcdefghij")]


def test_only_the_latest_progress_in_a_time_slice_is_kept():
    live = LogBuffer(SYSTEM_CLOCK)
    for percent in range(100):
        live.append([Progress("working", percent)], slice_seconds=60)
    live.append([Progress("working", 99.0)], slice_seconds=60)

    assert live.entries == (Progress("working", 0), Progress("working", 99))


def test_long_reply_is_merged_into_larger_entries(clock: AdjustableClock):
    live, pieces = LogBuffer(clock), []
    for _ in range(300):
        clock.advance(0.125)
        live.append([Delta("x" * 1000)], slice_seconds=0.5)
        pieces.append(live.last_seq)

    # The first 28,000 characters take 7 entries. After 220,000 characters, 3 entries are enough for
    # the next 48,000.
    assert (pieces[27], pieces[267] - pieces[219]) == (7, 3)


def test_cursor_beyond_the_log_or_at_its_end_reads_the_whole_log():
    live = LogBuffer(SYSTEM_CLOCK)
    assert live.wait(99, timeout=0).after == 0
    live.append([Delta("Hello")], slice_seconds=0)
    assert join_text(live.wait(99, timeout=0).entries) == "Hello"
    live.end(DONE)

    assert live.batch(live.last_seq).entries == (Delta("Hello"), DONE)


@pytest.mark.parametrize(
    "change",
    [
        lambda live: live.append([Delta("Hello")], slice_seconds=0),
        lambda live: live.end(DONE),
        lambda live: live.abandon(),
    ],
    ids=["text", "end", "shutdown"],
)
def test_waiting_reader_is_woken_at_once(change: Callable[[LogBuffer], None]):
    live = LogBuffer(SYSTEM_CLOCK)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(live.wait, 0, timeout=30)
        wait_until(lambda: live._changed._waiters)
        change(live)

        assert waiting.result(10).entries == live.entries


def test_readers_receive_the_end_of_a_reply_before_its_html_is_rendered(log: Log, turn: Turn):
    seen: list[bool] = []
    log._on_stored = lambda turn_id, _text: seen.append(log.read(turn_id).is_final)
    log.end(turn.id, DONE)

    assert seen == [True]
