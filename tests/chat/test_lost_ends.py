"""Ends of replies that cannot be stored at once, and replies whose worker is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, exc

from tests.chat.conftest import make_deletions, start_conversation
from tests.support.waiting import wait_until
from twindow.chat.log.entries import Ended, ReplyState, build_reply
from twindow.chat.log.flusher import Flusher
from twindow.chat.log.log import Log
from twindow.chat.log.recovery import Recovery
from twindow.chat.submissions import Submissions
from twindow.chat.turns import Turn
from twindow.core.db.errors import DatabaseUnavailable
from twindow.twinapi import Delta

COMPLETE = Ended(ReplyState.COMPLETE, text="All of it")
NOT_SAVED = Ended(ReplyState.INTERRUPTED, text="All of it", code="reply_not_saved")


def fail(*_: object, **__: object) -> None:
    """Fail like a database that cannot be used."""
    raise DatabaseUnavailable


@pytest.fixture
def outage(log: Log, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Make the database of the log read-only, and return a function that ends the outage."""
    with monkeypatch.context() as patch:
        patch.setattr(log.database, "write", fail)
        yield patch.undo


def test_end_is_stored_when_the_database_can_be_written_again(
    log: Log, turn: Turn, new_log: Callable[[], Log], outage: Callable[[], None]
):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("All"))
    next(following)
    log.end_later(turn.id, COMPLETE, shown=NOT_SAVED)
    assert build_reply(next(following)).code == "reply_not_saved"

    outage()

    other = new_log()
    wait_until(lambda: other.read(turn.id).is_final)
    assert build_reply(other.read(turn.id)).state is ReplyState.COMPLETE


def test_message_of_a_stopped_reply_is_not_sent_even_if_the_stop_cannot_be_stored(
    log: Log, turn: Turn, outage: Callable[[], None]
):
    with pytest.raises(DatabaseUnavailable):
        log.end(turn.id, Ended(ReplyState.STOPPED))
    outage()

    assert not log.allows_requests(turn.id)


def test_reply_whose_end_is_stored_later_is_never_abandoned(log: Log, turn: Turn):
    abandoned: list[list[str]] = []
    find_abandoned = log._recovery.find_abandoned
    log.set_abort(turn.id, lambda: abandoned.append(find_abandoned([turn.id])))

    log.end_later(turn.id, COMPLETE)

    assert abandoned == [[]]


def test_another_process_interrupts_a_reply_whose_worker_has_released_it(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    log.append(turn.id, Delta("So far"))
    log.release(turn.id)

    other = new_log()
    wait_until(lambda: other.read(turn.id).is_final)
    reply = build_reply(other.read(turn.id))
    assert (reply.state, reply.text) == (ReplyState.INTERRUPTED, "So far")


@pytest.mark.fault("F75")
def test_turn_whose_commit_was_not_confirmed_ends_unsent(
    log: Log, submissions: Submissions, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    write = log.database.write

    @contextmanager
    def lose_confirmation(**options: bool) -> Iterator[Connection]:
        with write(**options) as connection:
            yield connection
        raise DatabaseUnavailable

    log.prepare_claim()
    with monkeypatch.context() as patch:
        patch.setattr(log.database, "write", lose_confirmation)
        with pytest.raises(DatabaseUnavailable):
            start_conversation(submissions)

    turn_id = start_conversation(submissions).turn.id
    other = new_log()
    wait_until(lambda: other.read(turn_id).is_final)
    reply = build_reply(other.read(turn_id))
    assert (reply.state, reply.perhaps_received) == (ReplyState.FAILED, False)


def test_lost_reply_can_be_read_while_nothing_can_be_written(
    log: Log, turn: Turn, monkeypatch: pytest.MonkeyPatch
):
    log.append(turn.id, Delta("So far"))
    log.flush()
    log.drop_buffer(turn.id)
    with monkeypatch.context() as patch:
        patch.setattr(log.database, "write", fail)
        reply = build_reply(log.read_all([turn.id])[turn.id])

    assert (reply.state, reply.text) == (ReplyState.INTERRUPTED, "So far")


def test_deletion_stops_the_reply_although_its_end_cannot_be_stored(
    log: Log, turn: Turn, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(log, "end", fail)
        assert make_deletions(log).delete(turn.conversation_id, "alice")

    assert build_reply(log.read(turn.id)).state is ReplyState.STOPPED
    wait_until(lambda: turn.id not in log._buffers)


def break_ends(turn: Turn, owner: Recovery | Flusher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the owner of a thread fail whenever it ends this turn."""
    end: Callable[..., bool] = owner._end_turn

    def fail_for_turn(turn_id: str, *args: object) -> bool:
        if turn_id == turn.id:
            raise exc.IntegrityError("broken", {}, Exception())
        return end(turn_id, *args)

    monkeypatch.setattr(owner, "_end_turn", fail_for_turn)


def test_reply_ends_although_another_one_cannot_be_ended(
    log: Log,
    submissions: Submissions,
    turn: Turn,
    new_log: Callable[[], Log],
    monkeypatch: pytest.MonkeyPatch,
):
    lost = start_conversation(submissions, "bob").turn
    late = start_conversation(submissions, "carol").turn
    break_ends(turn, log._recovery, monkeypatch)
    break_ends(turn, log._flusher, monkeypatch)
    log.drop_buffer(turn.id)
    log.drop_buffer(lost.id)
    assert log.interrupt_abandoned([turn.id, lost.id]) == [lost.id]

    log.end_later(turn.id, COMPLETE)
    log.end_later(late.id, COMPLETE)
    other = new_log()
    wait_until(lambda: other.read(late.id).is_final)


def test_worker_opens_no_request_once_requests_are_forbidden(log: Log, turn: Turn):
    buffer = log._buffers.get(turn.id)
    assert buffer is not None
    assert buffer.forbid_requests() is False

    assert log.set_abort(turn.id, lambda: None) is False
