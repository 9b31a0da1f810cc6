"""The gallery: the twins that somebody looks for, and those that they have talked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from chat.schema import conversations
from core.database import Database
from core.text_folding import fold
from twinapi import Twin


@dataclass(frozen=True, slots=True)
class Use:
    """How many conversations somebody has with a twin, and when they last said something."""

    conversations: int
    last_at: float


class Gallery:
    """Know which twins people have talked to."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def used_by(self, person: str) -> Mapping[str, Use]:
        """Return a person's twins by their ids, the last one first."""
        table = conversations.c
        last_at = func.max(table.updated_at)
        query = select(table.twin_id, func.count(), last_at).where(
            table.person == person, table.deleted_at.is_(None)
        )
        query = query.group_by(table.twin_id).order_by(last_at.desc())
        with self.database.read() as connection:
            found = connection.execute(query)
            return {twin_id: Use(count, last) for twin_id, count, last in found}


def matching(twins: Sequence[Twin], q: str) -> Sequence[Twin]:
    """Return the twins whose name or description holds all words, those named so first."""
    words = fold(q).split()
    by_name: list[Twin] = []
    by_description: list[Twin] = []
    for twin in twins:
        name = fold(twin.name)
        if all(word in name for word in words):
            by_name.append(twin)
        elif _hold(words, name, fold(twin.description)):
            by_description.append(twin)
    return by_name + by_description


def _hold(words: Sequence[str], *texts: str) -> bool:
    return all(any(word in text for text in texts) for word in words)
