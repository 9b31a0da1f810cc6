"""Twins that a person has used, and the filter of the list of twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from twindow.chat.schema import conversations
from twindow.core.db.database import Database
from twindow.core.text_folding import fold
from twindow.twinapi import Twin


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


def filter_twins(twins: Sequence[Twin], q: str) -> Sequence[Twin]:
    """Return the twins with every word of `q` in their name or description.

    Twins with all words in their name come first.
    """
    words = fold(q).split()
    by_name: list[Twin] = []
    by_description: list[Twin] = []
    for twin in twins:
        name = fold(twin.name)
        if all(word in name for word in words):
            by_name.append(twin)
        elif _all_words_occur(words, name, fold(twin.description)):
            by_description.append(twin)
    return by_name + by_description


def _all_words_occur(words: Sequence[str], *texts: str) -> bool:
    return all(any(word in text for text in texts) for word in words)
