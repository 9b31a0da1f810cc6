"""Conversations: the list and its pages."""

from __future__ import annotations

import pytest

from tests.chat.conftest import start_conversation
from twindow.chat.conversations import Conversations
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.submissions import Submissions


@pytest.mark.both_databases
def test_conversations_are_listed_newest_first_and_paged(submissions: Submissions, log: Log):
    for number in range(25):
        added = start_conversation(
            submissions, content=f"Talk {number}", key="k", twin=f"twin {number % 2}"
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
