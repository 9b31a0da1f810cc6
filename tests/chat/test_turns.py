"""Turns: ownership and listing."""

from __future__ import annotations

from tests.chat.conftest import start_conversation
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.submissions import Submissions, SubmittedMessage
from twindow.chat.turns import Turn, Turns


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
