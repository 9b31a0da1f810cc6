"""Turns and conversations: idempotent creation, ownership and listing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, event

from tests.chat.conftest import make_turns, on_postgresql
from tests.support.waiting import wait_until
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.turns import AddedTurn, ReplyInProgress, Turn, Turns
from twindow.core.db.database import DatabaseUnavailable


@pytest.mark.both_databases
def test_concurrent_submissions_with_one_key_create_one_turn(new_log: Callable[[], Log]):
    logs = [new_log(), new_log()]

    def press(number: int) -> AddedTurn:
        turns = make_turns(logs[number % 2])
        return turns.start_conversation("alice", "ada", "Ada", "Hello", "same key")

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(press, range(20)))

    assert len({added.turn.id for added in results}) == 1
    assert sum(added.is_new for added in results) == 1


@on_postgresql
def test_message_does_not_wait_for_the_transaction_of_another_persons_message(
    log: Log, new_log: Callable[[], Log]
):
    alice, bob, carol = make_turns(log), make_turns(log), make_turns(new_log())
    for each in (alice, carol):
        each.log.prepare_claim()
    waiting = iter([("bob", bob), ("carol", carol)])
    posted: list[str] = []

    def let_others_post(_: Connection) -> None:
        for person, turns in waiting:
            turns.start_conversation(person, "ada", "Ada", "Hello", "key")
            posted.append(person)

    event.listen(log.database.engine, "commit", let_others_post)
    alice.start_conversation("alice", "ada", "Ada", "Hello", "key")

    assert sorted(posted) == ["bob", "carol"]


@pytest.mark.both_databases
def test_turn_is_rejected_until_the_previous_reply_has_ended(
    turns: Turns, turn: Turn, conversation
):
    with pytest.raises(ReplyInProgress):
        turns.add("alice", conversation.id, "Next", "key 2")

    turns.log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    added = turns.add("alice", conversation.id, "Next", "key 2")

    assert added.is_new
    assert added.turn.position == 2


def test_repeated_idempotency_key_returns_its_turn_while_the_reply_runs(
    turns: Turns, turn: Turn, conversation: Conversation
):
    turns.log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    first = turns.add("alice", conversation.id, "Next", "key 2")
    second = turns.add("alice", conversation.id, "Next", "key 2")

    assert second.turn == first.turn
    assert not second.is_new


def test_submission_is_identified_by_person_key_and_secret_of_the_portal(
    turns: Turns, turn: Turn, log: Log
):
    others = make_turns(log, secret_key="another secret" * 3)
    form = "ada", "Ada", "Hello", "key"

    assert turns.start_conversation("bob", *form).is_new
    assert others.start_conversation("alice", *form).is_new
    assert turns.start_conversation("alice", *form).turn == turn


def test_turns_and_conversations_are_visible_only_to_their_owner(
    turns: Turns, turn: Turn, log: Log
):
    bobs = [turns.start_conversation("bob", "ada", "Ada", "Hi", key).turn for key in "abc"]

    assert turns.find(turn.id, "alice") == turn
    assert [turns.find(each.id, "bob") for each in bobs] == bobs
    assert turns.find(turn.id, "bob") is None
    assert turns.list_running("alice") == [turn.id]
    assert sorted(turns.list_running("bob")) == sorted(each.id for each in bobs)
    assert Conversations(log.database).find(turn.conversation_id, "bob") is None


def test_newest_turns_are_listed_in_chronological_order(
    turns: Turns, turn: Turn, conversation: Conversation
):
    for number in range(2, 8):
        turns.log.end(
            turns.list_for_conversation(conversation.id, limit=1)[-1].turn.id,
            Ended(ReplyState.COMPLETE),
        )
        turns.add("alice", conversation.id, f"turn {number}", f"key {number}")

    newest = turns.list_for_conversation(conversation.id, limit=3)
    before = turns.list_for_conversation(conversation.id, before=newest[0].turn.position, limit=3)

    assert [stored.turn.position for stored in newest] == [5, 6, 7]
    assert [stored.turn.position for stored in before] == [2, 3, 4]


@pytest.mark.both_databases
def test_conversations_are_listed_newest_first_and_paged(turns: Turns, log: Log):
    for number in range(25):
        added = turns.start_conversation(
            "alice", f"twin {number % 2}", "Twin", f"Talk {number}", "k"
        )
        log.end(added.turn.id, Ended(ReplyState.COMPLETE))
    conversations = Conversations(log.database)

    first = conversations.list_for_person("alice", page=1)
    beyond = conversations.list_for_person("alice", page=99)
    some = conversations.list_for_person("alice", twin_id="twin 1")

    assert [c.title for c in first.items][:2] == ["Talk 24", "Talk 23"]
    assert (first.total, first.pages, len(first.items)) == (25, 2, 20)
    assert (beyond.number, len(beyond.items)) == (2, 5)
    assert {c.title for c in some.items} == {f"Talk {n}" for n in range(1, 25, 2)}


def test_failed_turn_leaves_no_log_buffer_behind(
    turns: Turns, log: Log, monkeypatch: pytest.MonkeyPatch
):
    claim = log.claim

    def fail_after_claim(turn_id: str) -> None:
        claim(turn_id)
        raise DatabaseUnavailable

    monkeypatch.setattr(log, "claim", fail_after_claim)
    with pytest.raises(DatabaseUnavailable):
        turns.start_conversation("alice", "ada", "Ada", "Hello", "key")

    wait_until(lambda: len(log._buffers) == 0)
