"""Adoption: the conversations of a visitor become those of a person who has signed in."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update

from twindow.chat.schema import conversations
from twindow.core.db.database import Database


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
    connection.execute(update(conversations).where(is_theirs).values(person=person))
