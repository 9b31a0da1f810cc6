"""Submissions: each message becomes one turn."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, event

from tests.chat.conftest import make_submissions, start_conversation
from tests.support.databases import on_postgresql
from tests.support.waiting import wait_until
from twindow.chat.conversations import Conversation
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.submissions import AddedTurn, ReplyInProgress, Submissions, SubmittedMessage
from twindow.chat.turns import Turn
from twindow.core.db.errors import DatabaseUnavailable


@pytest.mark.both_databases
def test_concurrent_submissions_with_one_key_create_one_turn(new_log: Callable[[], Log]):
    logs = [new_log(), new_log()]

    def press(number: int) -> AddedTurn:
        submissions = make_submissions(logs[number % 2])
        return start_conversation(submissions, key="same key")

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(press, range(20)))

    assert len({added.turn.id for added in results}) == 1
    assert sum(added.is_new for added in results) == 1


@on_postgresql
def test_message_does_not_wait_for_the_transaction_of_another_persons_message(
    log: Log, new_log: Callable[[], Log]
):
    alice, bob, carol = make_submissions(log), make_submissions(log), make_submissions(new_log())
    for each in (alice, carol):
        each.log.prepare_claim()
    waiting = iter([("bob", bob), ("carol", carol)])
    posted: list[str] = []

    def let_others_post(_: Connection) -> None:
        for person, submissions in waiting:
            start_conversation(submissions, person)
            posted.append(person)

    event.listen(log.database.engine, "commit", let_others_post)
    start_conversation(alice)

    assert sorted(posted) == ["bob", "carol"]


@pytest.mark.both_databases
def test_turn_is_rejected_until_the_previous_reply_has_ended(
    submissions: Submissions, turn: Turn, conversation
):
    with pytest.raises(ReplyInProgress):
        submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))

    submissions.log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    added = submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))

    assert added.is_new
    assert added.turn.position == 2


def test_repeated_idempotency_key_returns_its_turn_while_the_reply_runs(
    submissions: Submissions, turn: Turn, conversation: Conversation
):
    submissions.log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    first = submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))
    second = submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))

    assert second.turn == first.turn
    assert not second.is_new


def test_submission_is_identified_by_person_key_and_secret_of_the_portal(
    submissions: Submissions, turn: Turn, log: Log
):
    others = make_submissions(log, secret_key="another secret" * 3)

    assert start_conversation(submissions, "bob").is_new
    assert start_conversation(others).is_new
    assert start_conversation(submissions).turn == turn


def test_failed_turn_leaves_no_log_buffer_behind(
    submissions: Submissions, log: Log, monkeypatch: pytest.MonkeyPatch
):
    claim = log.claim

    def fail_after_claim(turn_id: str) -> None:
        claim(turn_id)
        raise DatabaseUnavailable

    monkeypatch.setattr(log, "claim", fail_after_claim)
    with pytest.raises(DatabaseUnavailable):
        start_conversation(submissions)

    wait_until(lambda: len(log._buffers) == 0)
