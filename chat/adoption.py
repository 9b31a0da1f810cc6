"""Adoption: the conversations of a visitor become those of a person who has signed in."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Text,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from chat.schema import conversations, search_documents
from chat.search_index import TITLE, owner_token
from core.db.database import Database


@dataclass(frozen=True, slots=True)
class AdoptableConversations:
    """How many conversations a visitor has, and when they were first and last used."""

    count: int
    first_at: float
    last_at: float


class Adoption:
    """Transfer of conversations from one person to another."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, visitor: str) -> AdoptableConversations | None:
        """Return what a visitor could hand over, or None if there is nothing."""
        columns = func.count(), func.min(conversations.c.created_at)
        query = select(*columns, func.max(conversations.c.updated_at))
        is_theirs = (conversations.c.person == visitor) & conversations.c.deleted_at.is_(None)
        with self.database.read() as connection:
            count, first_at, last_at = connection.execute(query.where(is_theirs)).one()
        return AdoptableConversations(count, first_at, last_at) if count else None

    def adopt(self, visitor: str, person: str) -> None:
        """Move all conversations of a visitor to a person, in one transaction.

        Also moves deleted conversations, so that the person can restore them.
        """
        with self.database.write(durable=True) as connection:
            move_conversations(connection, visitor, person)


def move_conversations(connection: Connection, earlier: str, person: str) -> None:
    """Move all conversations of one person to another."""
    is_theirs = conversations.c.person == earlier
    ids = connection.scalars(select(conversations.c.id).where(is_theirs).with_for_update()).all()
    connection.execute(update(conversations).where(is_theirs).values(person=person))
    for conversation_id in ids:
        _index_for_person(connection, conversation_id, earlier, person)


def _index_for_person(
    connection: Connection, conversation_id: str, visitor: str, person: str
) -> None:
    """Replace the owner token in the search index rows of a conversation."""
    is_in_conversation = search_documents.c.conversation_id == conversation_id
    old_ids = connection.scalars(select(search_documents.c.id).where(is_in_conversation)).all()
    for is_title in (True, False):
        is_kind = search_documents.c.kind == TITLE if is_title else search_documents.c.kind != TITLE
        tokens = owner_token(visitor, is_title=is_title), owner_token(person, is_title=is_title)
        names = "conversation_id", "turn_id", "kind", "words"
        rows = select(
            *(search_documents.c[name] for name in names[:3]), _with_token(connection, *tokens)
        )
        # On SQLite, triggers update the index for inserted and deleted rows, not for updated rows.
        connection.execute(
            insert(search_documents).from_select(
                names, rows.where(is_kind, search_documents.c.id.in_(old_ids))
            )
        )
    connection.execute(delete(search_documents).where(search_documents.c.id.in_(old_ids)))


def _with_token(connection: Connection, old: str, new: str) -> ColumnElement[str]:
    if connection.dialect.name == "postgresql":
        added = func.array_to_tsvector(cast([new], ARRAY(Text)))
        remaining: ColumnElement[str] = func.ts_delete(search_documents.c.words, literal(old, Text))
        return remaining.op("||")(added)
    return func.replace(search_documents.c.words, old, new)
