"""Avatar images in the database, shared by all processes and limited in number and size."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from chat.schema import pictures
from core.database import Database, DatabaseUnavailable, upsert
from core.images import Image

MAX_AGE_SECONDS = 86_400.0
RETRY_SECONDS = 300.0
CLAIM_SECONDS = 60.0
MAX_UNUSED_SECONDS = 30 * 86_400.0
MAX_IMAGES = 1000
MAX_BYTES = 64 * 1024 * 1024


class CacheEntry(NamedTuple):
    """Cached state of an image: `is_due` says that it should be downloaded (again).

    `is_fetching` says that the first download has not finished.
    """

    image: Image | None = None
    is_due: bool = True
    is_fetching: bool = False


class AvatarCache:
    """Images by name.

    All methods except `record_failure` raise DatabaseUnavailable.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, name: str) -> CacheEntry:
        """Return the cached state of an image."""
        columns = pictures.c
        query = select(columns.type, columns.content, columns.next_at).where(columns.name == name)
        with self.database.read() as connection:
            row = connection.execute(query).first()
            if row is None:
                return CacheEntry()
            is_due = not self._is_in_future(connection, row.next_at)
        image = Image(row.type, row.content) if row.content else None
        return CacheEntry(image, is_due, row.type is None)

    def claim(self, name: str) -> bool:
        """Claim the download of an image for `CLAIM_SECONDS`.

        Returns False if another process has claimed it or it is not due.
        """
        query = select(pictures.c.next_at).where(pictures.c.name == name)
        with self.database.write() as connection:
            self.database.advisory_lock(connection, f"picture {name}")
            next_at = connection.execute(query).scalar()
            if next_at is not None and self._is_in_future(connection, next_at):
                return False
            self._save(connection, name, CLAIM_SECONDS)
            return True

    def store(self, name: str, image: Image) -> None:
        """Store an image, valid for `MAX_AGE_SECONDS`, and evict old ones."""
        with self.database.write() as connection:
            values = {
                "type": image.media_type,
                "content": image.content,
                "size": len(image.content),
            }
            self._save(connection, name, MAX_AGE_SECONDS, **values)
            self._evict(connection)

    def record_failure(self, name: str) -> None:
        """Postpone the next download by `RETRY_SECONDS`. A cached image is kept."""
        never_fetched = (pictures.c.name == name) & pictures.c.type.is_(None)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self._save(connection, name, RETRY_SECONDS)
            connection.execute(update(pictures).where(never_fetched).values(type=""))

    def _save(
        self, connection: Connection, name: str, delay_seconds: float, **values: object
    ) -> None:
        next_at = self.database.now(connection) + delay_seconds
        row = {"name": name, "next_at": next_at, **values}
        upsert(connection, pictures, "name", row)

    def _is_in_future(self, connection: Connection, next_at: float) -> bool:
        """Return whether a time is in the future.

        A time more than `MAX_AGE_SECONDS` ahead does not count: a clock has jumped.
        """
        return 0 < next_at - self.database.now(connection) <= MAX_AGE_SECONDS

    def _evict(self, connection: Connection) -> None:
        """Delete images unused for `MAX_UNUSED_SECONDS`, and the oldest if there are too many."""
        columns = pictures.c
        is_unused = columns.next_at < self.database.now(connection) - MAX_UNUSED_SECONDS
        connection.execute(delete(pictures).where(is_unused))
        newest_first = select(columns.name, columns.size).order_by(columns.next_at.desc())
        total_bytes, evicted_names = 0, []
        for rank, (name, size) in enumerate(connection.execute(newest_first), 1):
            total_bytes += size
            if rank > MAX_IMAGES or total_bytes > MAX_BYTES:
                evicted_names.append(name)
        if evicted_names:
            connection.execute(delete(pictures).where(columns.name.in_(evicted_names)))
