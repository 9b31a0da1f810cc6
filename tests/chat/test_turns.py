"""Turns: ownership and listing."""

from __future__ import annotations

import pytest

from tests.chat.conftest import start_conversation
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.log.entries import Ended, ReplyState, decode_start, encode
from twindow.chat.log.log import Log
from twindow.chat.submissions import Submissions, SubmittedMessage
from twindow.chat.turns import NEWEST_TEXT_LENGTH, Turn, Turns


def test_turns_and_conversations_are_visible_only_to_their_owner(
    turns: Turns, submissions: Submissions, turn: Turn, log: Log
):
    bobs = [start_conversation(submissions, "bob", content="Hi", key=key).turn for key in "abc"]

    assert turns.find(turn.id, "alice") == turn
    assert [turns.find(each.id, "bob") for each in bobs] == bobs
    assert turns.find(turn.id, "bob") is None
    assert turns.list_running("alice") == [turn.id]
    assert sorted(turns.list_running("bob")) == sorted(each.id for each in bobs)
    assert Conversations(log.database).find(turn.conversation_id, "bob") is None


def test_newest_turns_are_listed_in_chronological_order(
    turns: Turns, submissions: Submissions, conversation: Conversation
):
    for number in range(2, 8):
        submissions.log.end(
            turns.list_for_conversation(conversation.id, limit=1)[-1].turn.id,
            Ended(ReplyState.COMPLETE),
        )
        submissions.add_turn(conversation, SubmittedMessage(f"turn {number}", f"key {number}"))

    newest = turns.list_for_conversation(conversation.id, limit=3)
    before = turns.list_for_conversation(conversation.id, before=newest[0].turn.position, limit=3)

    assert [stored.turn.position for stored in newest] == [5, 6, 7]
    assert [stored.turn.position for stored in before] == [2, 3, 4]


@pytest.mark.both_databases
def test_newest_texts_are_the_beginnings_of_the_last_message_and_its_reply(
    turns: Turns, submissions: Submissions, conversation: Conversation, turn: Turn
):
    def newest() -> tuple[str, str]:
        return turns.list_newest_texts([conversation.id, "missing"])[conversation.id]

    assert newest() == ("Hello", "")
    submissions.log.end(turn.id, Ended(ReplyState.COMPLETE, "Hi"))
    assert newest() == ("Hello", "Hi")
    second = submissions.add_turn(conversation, SubmittedMessage("x" * 9_000, "key 2")).turn
    assert newest() == ("x" * NEWEST_TEXT_LENGTH, "")
    submissions.log.end(second.id, Ended(ReplyState.COMPLETE, "é" * 9_000))
    _, reply = newest()
    assert set(reply) == {"é"}
    assert 400 < len(reply) < NEWEST_TEXT_LENGTH


@pytest.mark.parametrize("text", ["", "Plain", 'A "quoted" \\ path\n\u0001', "日本語"])
def test_beginning_of_an_entry_has_the_beginning_of_its_text(text: str):
    data = encode(Ended(ReplyState.STOPPED, text, code="x", params={"text": "no"}))

    assert decode_start(data) == text
    assert all(text.startswith(decode_start(data[:size])) for size in range(len(data)))
