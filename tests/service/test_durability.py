"""What the service has accepted or told a client survives a power cut."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, event

from twindow.core.db.database import Database
from twindow.service.conversations.conversations import Conversations
from twindow.service.conversations.messages import Messages

FULL = 2  # the value of PRAGMA synchronous with which a commit waits for the disk


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_accepted_messages_and_ended_replies_are_on_the_disk(database: Database):
    conversation = Conversations(database).create("alice", "ada", "")
    assert conversation
    levels: list[int] = []

    def record_level(connection: Connection) -> None:
        levels.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    event.listen(database.engine, "commit", record_level)
    messages = Messages(database)
    message, lease_id = messages.add(conversation.id, "Hello")
    messages.store_reply(message, str(lease_id), "Hi", is_complete=True)

    assert levels == [FULL, FULL]
