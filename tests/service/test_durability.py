"""What the service has accepted or told a client survives a power cut."""

from __future__ import annotations

from tests.support.databases import FULL, on_sqlite, record_commit_levels
from twindow.core.db.database import Database
from twindow.service.conversations.conversations import Conversations
from twindow.service.conversations.messages import Messages


@on_sqlite
def test_accepted_messages_and_ended_replies_are_on_the_disk(database: Database):
    conversation = Conversations(database).create("alice", "ada", "")
    assert conversation
    levels = record_commit_levels(database)
    messages = Messages(database)
    message, lease_id = messages.add(conversation.id, "Hello")
    messages.store_reply(message, str(lease_id), "Hi", is_complete=True)

    assert levels == [FULL, FULL]
