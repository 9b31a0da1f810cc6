"""Storing the entries of all running replies of a process, whatever happens to one of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import delete, event, select

from tests.chat.conftest import start_conversation
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from twindow.chat.log.entries import Ended, ReplyState, join_text
from twindow.chat.log.log import Log
from twindow.chat.schema import turns as turn_table
from twindow.chat.submissions import Submissions
from twindow.chat.turns import Turn
from twindow.twinapi import Delta

# SQLAlchemy's default pool has 5 connections, and opens 10 more when those are in use.
CONNECTIONS_FOR_REQUESTS = 15


@pytest.fixture
def other_turn(submissions: Submissions) -> Turn:
    """Return a second turn whose reply is running."""
    return start_conversation(submissions, "bob").turn


@on_postgresql
def test_lock_on_one_turn_does_not_delay_other_replies_or_the_heartbeat(
    log: Log, turn: Turn, other_turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log._flusher.close()
    other = new_log()
    log.append(turn.id, Delta("locked"))
    log.append(other_turn.id, Delta("free"))
    with other.database.write() as connection:
        query = select(turn_table.c.id).where(turn_table.c.id == turn.id)
        connection.execute(query.with_for_update())
        clock.advance(60)
        log.flush()
        with other.database.read() as reading:
            assert other._heartbeat.stale_workers(reading) == {}
        assert join_text(other.read(other_turn.id).entries) == "free"
        assert other.read(turn.id).entries == ()

    log.flush()
    assert join_text(other.read(turn.id).entries) == "locked"


@pytest.mark.fault("F89")
@on_postgresql
def test_requests_that_occupy_all_connections_delay_no_reply_and_no_heartbeat(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    def store_html(*_: object) -> None:
        with log.database.write():
            pass

    log._flusher.close()
    log._on_stored = store_html
    other = new_log()
    log.append(turn.id, Delta("stored"))
    with ExitStack() as requests:
        for _ in range(CONNECTIONS_FOR_REQUESTS):
            requests.enter_context(log.database.read())
        clock.advance(60)
        log.flush()
        log.flush()  # without new entries
        log.end_later(turn.id, Ended(ReplyState.COMPLETE))
        log._flusher._store_ends()
        assert not log._buffers.unstored_ends

    assert join_text(other.read(turn.id).entries) == "stored"
    with other.database.read() as reading:
        assert other._heartbeat.stale_workers(reading) == {}


@on_postgresql
def test_flush_sends_the_entries_of_all_replies_in_one_statement(
    log: Log, turn: Turn, other_turn: Turn
):
    inserts: list[Any] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("INSERT INTO entries"):
            inserts.append(parameters)

    log._flusher.close()
    log.append(turn.id, Delta("one"))
    log.append(other_turn.id, Delta("two"))
    event.listen(log.database._reserved_engine, "before_cursor_execute", note)
    log.flush()

    # A list would be executed row by row.
    [parameters] = inserts
    assert isinstance(parameters, dict)


def test_storing_of_late_ends_delays_neither_the_heartbeat_nor_other_replies(
    log: Log, turn: Turn, other_turn: Turn, clock: AdjustableClock
):
    log._flusher.close()
    for each in (turn, other_turn):
        log.end_later(each.id, Ended(ReplyState.COMPLETE, text="late"))
    log.flush()
    log._flusher._end_turn = lambda *_: clock.advance(0.1)

    log._flusher._store_ends()

    assert len(log._buffers.unstored_ends) == 1


@pytest.mark.both_databases
def test_turn_without_a_row_does_not_prevent_the_storing_of_other_replies(
    log: Log, turn: Turn, other_turn: Turn, new_log: Callable[[], Log]
):
    log._flusher.close()
    with log.database.write() as connection:
        connection.execute(delete(turn_table).where(turn_table.c.id == turn.id))
    log.append(turn.id, Delta("lost"))
    log.append(other_turn.id, Delta("kept"))

    log.flush()

    assert join_text(new_log().read(other_turn.id).entries) == "kept"
    assert turn.id not in log._buffers
    assert log.end(turn.id, Ended(ReplyState.COMPLETE, text="lost")) is False
