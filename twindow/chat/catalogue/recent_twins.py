"""Twins that a person has used."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from twindow.chat.schema import conversations
from twindow.core.db.database import Database


class RecentTwins:
    """Twins that people have conversations with."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_for_person(self, person: str) -> Sequence[str]:
        """Return the ids of a person's twins, the most recently used first."""
        columns = conversations.c
        query = select(columns.twin_id).where(
            columns.person == person, columns.deleted_at.is_(None)
        )
        query = query.group_by(columns.twin_id).order_by(func.max(columns.updated_at).desc())
        with self.database.read() as connection:
            return connection.scalars(query).all()
