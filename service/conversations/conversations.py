"""Storage of conversations. All queries are limited to one owner (`sub`)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from core.database import Database
from service.idempotency import Creation, remember
from service.schema import conversations


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation. `sub` is the owner; times are in seconds since 1970."""

    id: str
    sub: str
    twin_id: str
    title: str
    created_at: float
    updated_at: float


class Conversations:
    """Repository of conversations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(
        self, sub: str, twin_id: str, title: str, creation: Creation | None = None
    ) -> Conversation | None:
        """Store a new conversation and return it.

        A repeated `creation` returns the conversation of the first one, or None if it was deleted.
        Raises IdempotencyKeyReused.
        """
        now = self.database.clock.time()
        conversation = Conversation(secrets.token_urlsafe(16), sub, twin_id, title, now, now)
        values = {name: getattr(conversation, name) for name in Conversation.__slots__}
        with self.database.write() as connection:
            if creation:
                known_id = remember(connection, creation, conversation.id, now)
                if known_id != conversation.id:
                    return _find(connection, known_id, sub)
            connection.execute(insert(conversations).values(**values, replying_until=0))
        return conversation

    def find(self, conversation_id: str, sub: str) -> Conversation | None:
        """Return the conversation if it belongs to `sub`, else None."""
        with self.database.read() as connection:
            return _find(connection, conversation_id, sub)

    def delete(self, conversation: Conversation) -> None:
        """Delete a conversation with its messages."""
        with self.database.write() as connection:
            connection.execute(delete(conversations).where(conversations.c.id == conversation.id))

    def list_page(
        self, sub: str, twin_id: str | None, page: int, limit: int
    ) -> tuple[Sequence[Conversation], int]:
        """Return one page of the conversations of `sub`, last updated first, and the total."""
        condition = conversations.c.sub == sub
        if twin_id is not None:
            condition &= conversations.c.twin_id == twin_id
        newest_first = (conversations.c.updated_at.desc(), conversations.c.id)
        query = _select_conversations().where(condition).order_by(*newest_first)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(condition)).scalar_one()
            rows = connection.execute(query.limit(limit).offset((page - 1) * limit))
            return [Conversation(*row) for row in rows], total


def _find(connection: Connection, conversation_id: str, sub: str) -> Conversation | None:
    condition = (conversations.c.id == conversation_id) & (conversations.c.sub == sub)
    row = connection.execute(_select_conversations().where(condition)).first()
    return Conversation(*row) if row else None


def _select_conversations() -> Select[Any]:
    return select(*(conversations.c[name] for name in Conversation.__slots__))
