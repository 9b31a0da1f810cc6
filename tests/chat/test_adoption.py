"""Transfer of a visitor's conversations to a person who has signed in."""

from __future__ import annotations

import pytest

from tests.chat.conftest import make_deletions, start_conversation
from tests.support.clock import AdjustableClock
from twindow.chat.adoption import Adoption
from twindow.chat.conversations import Conversations
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.search import Search
from twindow.chat.submissions import AddedTurn, Submissions


@pytest.fixture
def adoption(log: Log) -> Adoption:
    return Adoption(log.database)


def start(submissions: Submissions, person: str, message: str, reply: str = "") -> AddedTurn:
    added = start_conversation(submissions, person, content=message, key=f"key of {message}")
    if reply:
        submissions.log.end(added.turn.id, Ended(ReplyState.COMPLETE, text=reply))
    return added


def titles(log: Log, person: str) -> list[str]:
    return [item.title for item in Conversations(log.database).list_for_person(person).items]


def found(log: Log, person: str, q: str) -> int:
    return len(Search(log.database).find(person, q).items)


@pytest.mark.both_databases
def test_adopted_conversations_are_listed_and_found_only_by_their_new_owner(
    adoption: Adoption, submissions: Submissions, log: Log
):
    start(submissions, "visitor", "Why is the lake blue?", "Because of the water.")
    start(submissions, "other", "Why is the lake deep?", "Because of ice.")
    adoption.adopt("visitor", "anna")

    assert titles(log, "anna") == ["Why is the lake blue?"]
    assert titles(log, "visitor") == []
    assert [found(log, "anna", q) for q in ("lake", "water", "ice")] == [1, 1, 0]
    assert [found(log, "visitor", q) for q in ("lake", "water")] == [0, 0]
    assert found(log, "other", "lake") == 1


def test_adopted_conversation_continues_and_can_be_restored(
    adoption: Adoption, submissions: Submissions, log: Log
):
    running = start(submissions, "visitor", "Hello")
    deleted = start(submissions, "visitor", "Bye", "Bye")
    deletions = make_deletions(log)
    deletions.delete(deleted.conversation.id, "visitor")
    adoption.adopt("visitor", "anna")
    log.end(running.turn.id, Ended(ReplyState.COMPLETE, text="Welcome"))
    deletions.restore(deleted.conversation.id, "anna")

    assert sorted(titles(log, "anna")) == ["Bye", "Hello"]
    assert found(log, "anna", "welcome") == 1


def test_summary_has_the_number_and_dates_of_the_visitors_conversations(
    adoption: Adoption, submissions: Submissions, log: Log, clock: AdjustableClock
):
    assert adoption.find("visitor") is None
    start(submissions, "visitor", "One", "1")
    clock.advance(100)
    start(submissions, "visitor", "Two", "2")
    summary = adoption.find("visitor")

    assert summary is not None
    assert summary.count == 2
    assert summary.last_at - summary.first_at == pytest.approx(100, abs=5)
