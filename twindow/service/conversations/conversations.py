"""Storage of conversations. Most queries are limited to one owner (`sub`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, delete, func, insert, select

from twindow.core.db.database import Database
from twindow.core.secrets import new_id
from twindow.service.pagination import Page
from twindow.service.schema import conversations


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

    def create(self, sub: str, twin_id: str, title: str) -> Conversation:
        """Store a new conversation and return it."""
        with self.database.write() as connection:
            now = self.database.now(connection)
            conversation = Conversation(new_id(), sub, twin_id, title, now, now)
            values = {name: getattr(conversation, name) for name in Conversation.__slots__}
            connection.execute(insert(conversations).values(**values, lease_expires_at=0))
        return conversation

    def find(self, conversation_id: str, sub: str) -> Conversation | None:
        """Return the conversation if it belongs to `sub`."""
        is_own = (conversations.c.id == conversation_id) & (conversations.c.sub == sub)
        with self.database.read() as connection:
            row = connection.execute(_select_conversations().where(is_own)).first()
        return Conversation(*row) if row else None

    def delete(self, conversation: Conversation) -> None:
        """Delete a conversation with its messages."""
        with self.database.write() as connection:
            connection.execute(delete(conversations).where(conversations.c.id == conversation.id))

    def delete_all(self, sub: str) -> None:
        """Delete all conversations of `sub` with their messages."""
        with self.database.write() as connection:
            connection.execute(delete(conversations).where(conversations.c.sub == sub))

    def list_page(self, sub: str, twin_id: str | None, page: int, limit: int) -> Page[Conversation]:
        """Return one page of the conversations of `sub`, newest first."""
        condition = conversations.c.sub == sub
        if twin_id is not None:
            condition &= conversations.c.twin_id == twin_id
        newest_first = (conversations.c.created_at.desc(), conversations.c.id)
        query = _select_conversations().where(condition).order_by(*newest_first)
        query = query.offset((page - 1) * limit).limit(limit)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(condition)).scalar_one()
            return Page([Conversation(*row) for row in connection.execute(query)], total)


def _select_conversations() -> Select[Any]:
    return select(*(conversations.c[name] for name in Conversation.__slots__))
