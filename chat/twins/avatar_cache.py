"""Pictures in the database, where all processes find them: bounded, and claimed by who fetches."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from chat.schema import pictures
from core.database import Database, DatabaseUnavailable, upsert
from core.images import Picture

KEEP_SECONDS = 86_400.0
FAILED_SECONDS = 300.0
CLAIM_SECONDS = 60.0
FORGET_SECONDS = 30 * 86_400.0
MAX_PICTURES = 1000
MAX_BYTES = 64 * 1024 * 1024


class Kept(NamedTuple):
    """What is known of a picture: itself, if it is here; whether to ask; whether somebody does."""

    picture: Picture | None = None
    due: bool = True
    asked: bool = False


class KeptPictures:
    """Keep pictures by their names. Every call but `fail` raises DatabaseUnavailable."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._clock = database.clock

    def look(self, name: str) -> Kept:
        """Return what is known of a picture."""
        columns = pictures.c
        query = select(columns.type, columns.content, columns.next_at).where(columns.name == name)
        with self.database.read() as connection:
            row = connection.execute(query).first()
        if row is None:
            return Kept()
        found = Picture(row.type, row.content) if row.content else None
        return Kept(found, not self._is_ahead(row.next_at), row.type is None)

    def claim(self, name: str) -> bool:
        """Be the one who asks for a picture, for a minute."""
        query = select(pictures.c.next_at).where(pictures.c.name == name)
        with self.database.write() as connection:
            self.database.alone(connection, f"picture {name}")
            next_at = connection.execute(query).scalar()
            if next_at is not None and self._is_ahead(next_at):
                return False
            self._note(connection, name, CLAIM_SECONDS)
            return True

    def keep(self, name: str, found: Picture) -> None:
        """Keep a picture for a day."""
        with self.database.write() as connection:
            parts = {"type": found.type, "content": found.content, "size": len(found.content)}
            self._note(connection, name, KEEP_SECONDS, **parts)
            self._let_go(connection)

    def fail(self, name: str) -> None:
        """Leave a picture alone for some minutes; an old one stays."""
        never = (pictures.c.name == name) & pictures.c.type.is_(None)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self._note(connection, name, FAILED_SECONDS)
            connection.execute(update(pictures).where(never).values(type=""))

    def _note(self, connection: Connection, name: str, wait: float, **parts: object) -> None:
        row = {"name": name, "next_at": self._clock.time() + wait, **parts}
        upsert(connection, pictures, "name", row)

    def _is_ahead(self, next_at: float) -> bool:
        """Tell whether a time is in the future; not one that only a jumped clock can have set."""
        return 0 < next_at - self._clock.time() <= KEEP_SECONDS

    def _let_go(self, connection: Connection) -> None:
        """Delete pictures that were not requested for long, and the oldest above the limits."""
        columns = pictures.c
        forgotten = columns.next_at < self._clock.time() - FORGET_SECONDS
        connection.execute(delete(pictures).where(forgotten))
        newest_first = select(columns.name, columns.size).order_by(columns.next_at.desc())
        total, gone = 0, []
        for place, (name, size) in enumerate(connection.execute(newest_first), 1):
            total += size
            if place > MAX_PICTURES or total > MAX_BYTES:
                gone.append(name)
        if gone:
            connection.execute(delete(pictures).where(columns.name.in_(gone)))
