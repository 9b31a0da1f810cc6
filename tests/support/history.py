"""Long conversations inserted directly into the database, for tests of how they are read."""

from __future__ import annotations

import secrets

from sqlalchemy import insert, select

from twindow.chat.log import store
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.schema import conversations, entries, turns
from twindow.core.db.database import Database
from twindow.core.text_folding import join_terms
from twindow.rendering import RENDERER_VERSION, render


def get_only_person(database: Database) -> str:
    """Return the id of the only person in the database."""
    with database.read() as connection:
        return str(connection.scalars(select(conversations.c.person).distinct()).one())


def insert_conversation(
    database: Database,
    person: str,
    turn_count: int,
    sentences: int = 5,
    reply: str = "",
    title: str = "",
) -> str:
    """Insert a conversation with this many complete turns and return its id.

    The text of each reply is `reply` or some sentences. By default, the title is made of the
    number of turns.
    """
    conversation_id = secrets.token_urlsafe(16)
    ids = [secrets.token_urlsafe(16) for _ in range(turn_count)]
    with database.write() as connection:
        now = database.now(connection)
        connection.execute(
            insert(conversations).values(
                id=conversation_id,
                person=person,
                twin_id="ada",
                twin_name="Ada",
                title=title or f"A talk of {turn_count}",
                title_terms=join_terms(title or f"A talk of {turn_count}"),
                created_at=now - 2 * turn_count,
                updated_at=now,
                seen_position=turn_count,
            )
        )
        messages = [
            {
                "id": turn_id,
                "conversation_id": conversation_id,
                "position": number,
                "slot": number,
                "follows": number - 1,
                "submission": turn_id,
                "idempotency_key": turn_id,
                "content": f"Question {number:05}",
                "message_terms": join_terms(f"Question {number:05}"),
                "worker": "",
                "created_at": now - 2 * (turn_count - number),
            }
            for number, turn_id in enumerate(ids, 1)
        ]
        connection.execute(insert(turns), messages)
        texts = {
            turn_id: reply or f"Answer {number:05}, of some length. " * sentences
            for number, turn_id in enumerate(ids, 1)
        }
        replies = [
            store._row(turn_id, 1, Ended(ReplyState.COMPLETE, text=text))
            | {"html": render(text), "html_version": RENDERER_VERSION}
            for turn_id, text in texts.items()
        ]
        connection.execute(insert(entries), replies)
    return conversation_id
