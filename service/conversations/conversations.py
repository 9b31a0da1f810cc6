"""Storage of conversations. All queries are limited to one owner (`sub`)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, select

from core.database import Database
from service.idempotency import Creation, remember
from service.pagination import CursorText, Page
from service.schema import conversations


class ConversationCursor(NamedTuple):
    """Position in a list of conversations: the last conversation of a page.

    `started_at` is the latest `updated_at` in the list when the first page was read. `updated_at`
    is later than `started_at` only for conversations that were updated after the first page was
    read.
    """

    started_at: float
    updated_at: float
    id: CursorText


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

        A repeated `creation` returns the existing conversation, or None if the conversation was
        deleted. Raises IdempotencyKeyReused.
        """
        with self.database.write() as connection:
            now = self.database.now(connection)
            conversation = Conversation(secrets.token_urlsafe(16), sub, twin_id, title, now, now)
            if creation:
                known_id = remember(connection, creation, conversation.id, now)
                if known_id != conversation.id:
                    return _find(connection, known_id, sub)
            values = {name: getattr(conversation, name) for name in Conversation.__slots__}
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
        self,
        sub: str,
        twin_id: str | None,
        page: int,
        limit: int,
        cursor: ConversationCursor | None = None,
    ) -> Page[Conversation]:
        """Return one page of the conversations of `sub`, last updated first.

        `cursor` takes precedence over `page`. Conversations that were updated after the first page
        was read come last. No conversation is missed, but some may be returned twice.
        """
        condition = conversations.c.sub == sub
        if twin_id is not None:
            condition &= conversations.c.twin_id == twin_id
        query = _select_conversations().where(condition)
        with self.database.read() as connection:
            summary = select(func.count(), func.max(conversations.c.updated_at)).where(condition)
            total, newest = connection.execute(summary).one()
            if cursor:
                rows = _rows_after(connection, query, cursor, limit + 1)
            else:
                newest_first = (conversations.c.updated_at.desc(), conversations.c.id)
                query = query.order_by(*newest_first).offset((page - 1) * limit)
                rows = list(connection.execute(query.limit(limit + 1)))
        items = [Conversation(*row) for row in rows[:limit]]
        next_cursor = None
        if len(rows) > limit:
            started_at = cursor.started_at if cursor else newest
            next_cursor = ConversationCursor(started_at, items[-1].updated_at, items[-1].id)
        return Page(items, total, next_cursor)


def _rows_after(
    connection: Connection, query: Select[Any], cursor: ConversationCursor, limit: int
) -> list[Row[*tuple[Any, ...]]]:
    """Return the rows after a cursor: older rows, then rows updated since the first page."""
    table = conversations.c
    rows: list[Row[*tuple[Any, ...]]] = []
    has_same_time = (table.updated_at == cursor.updated_at) & (table.id > cursor.id)
    is_newer: ColumnElement[bool] = (table.updated_at > cursor.updated_at) | has_same_time
    if cursor.updated_at <= cursor.started_at:
        older = query.where((table.updated_at < cursor.updated_at) | has_same_time)
        rows += connection.execute(older.order_by(table.updated_at.desc(), table.id).limit(limit))
        is_newer = table.updated_at > cursor.started_at
    newer = query.where(is_newer).order_by(table.updated_at, table.id)
    return [*rows, *connection.execute(newer.limit(limit - len(rows)))]


def _find(connection: Connection, conversation_id: str, sub: str) -> Conversation | None:
    condition = (conversations.c.id == conversation_id) & (conversations.c.sub == sub)
    row = connection.execute(_select_conversations().where(condition)).first()
    return Conversation(*row) if row else None


def _select_conversations() -> Select[Any]:
    return select(*(conversations.c[name] for name in Conversation.__slots__))
