"""The limit of the messages that one person keeps."""

from __future__ import annotations

import pytest

from chat.deletion import Deletions
from chat.log.entries import Ended, ReplyState
from chat.log.log import Log
from chat.quota import HISTORY_FULL, Quota, SendingBlocked
from chat.turn_rows import AddedTurn
from chat.turns import Turns

DATABASES = ["sqlite", "postgresql"]
LIMIT = 3


@pytest.mark.limit("L3")
def test_person_keeps_no_more_messages_than_the_limit(log: Log, quota: Quota, turns: Turns):
    quota.history_limit = LIMIT

    def send(person: str, key: str) -> AddedTurn:
        return turns.start_conversation(person, "ada", "Ada", "Hello", key)

    first = send("alice", "key")
    log.end(first.turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    turns.add("alice", first.conversation.id, "And now?", "key")
    send("alice", "another key")
    for number in range(9 * LIMIT):
        with pytest.raises(SendingBlocked) as blocked:
            send("alice", f"key {number}")
        assert blocked.value.sentence == HISTORY_FULL

    assert not send("alice", "another key").is_new
    assert send("bob", "key").is_new
    Deletions(log.database, turns, log).delete(first.conversation.id, "alice")
    assert send("alice", "key after the deletion").is_new
