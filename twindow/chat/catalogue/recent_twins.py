"""Twins that a person has used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from twindow.chat.schema import conversations
from twindow.core.db.database import Database


@dataclass(frozen=True, slots=True)
class TwinUsage:
    """Number of a person's conversations with a twin, and the time of the latest message.

    The time is in seconds since 1970.
    """

    conversation_count: int
    last_used_at: float


class RecentTwins:
    """Twins that people have conversations with."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def usage_by_twin(self, person: str) -> Mapping[str, TwinUsage]:
        """Return the `TwinUsage` of a person's twins by twin id, the most recently used first."""
        columns = conversations.c
        last_used_at = func.max(columns.updated_at)
        query = select(columns.twin_id, func.count(), last_used_at).where(
            columns.person == person, columns.deleted_at.is_(None)
        )
        query = query.group_by(columns.twin_id).order_by(last_used_at.desc())
        with self.database.read() as connection:
            rows = connection.execute(query)
            return {twin_id: TwinUsage(count, last) for twin_id, count, last in rows}
