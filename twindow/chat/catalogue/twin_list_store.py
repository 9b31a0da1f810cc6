"""The list of twins, stored in the database for all processes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import msgspec
from sqlalchemy import select

from twindow.chat.schema import twin_list_cache
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.statements import upsert
from twindow.twinapi import Twin


class CachedTwins(msgspec.Struct, frozen=True):
    """Stored list: twins by id, fetched at `listed_at` (by the clock of this machine).

    `complete` is False if not all pages were read. `service` is the base URL of the service.
    """

    twins: Mapping[str, Twin]
    listed_at: float
    complete: bool
    service: str

    def is_fresh(self, now: float, max_age_seconds: float) -> bool:
        """Return whether the list is younger than `max_age_seconds`.

        A list whose `listed_at` is in the future is not fresh.
        """
        return 0 <= now - self.listed_at < max_age_seconds


class TwinListStore:
    """The stored list of one service."""

    def __init__(self, database: Database, service_url: str) -> None:
        self.database = database
        self._service_url = service_url
        # When the list was stored, by the clock of the database.
        self._stored_at: float | None = None

    def load_newer(self) -> CachedTwins | None:
        """Return the stored list of this service if it is new to this process, otherwise None."""
        query = select(twin_list_cache.c.data, twin_list_cache.c.listed_at)
        if self._stored_at is not None:
            query = query.where(twin_list_cache.c.listed_at != self._stored_at)
        with (
            suppress(DatabaseUnavailable, msgspec.MsgspecError),
            self.database.read() as connection,
        ):
            row = connection.execute(query).first()
            cache = msgspec.msgpack.decode(row.data, type=CachedTwins) if row else None
            if row and cache and cache.service == self._service_url:
                self._stored_at = row.listed_at
                now = self.database.now(connection)
                listed_at = self.database.to_local_time(row.listed_at, now)
                return msgspec.structs.replace(cache, listed_at=listed_at)
        return None

    def save(self, cache: CachedTwins) -> None:
        """Store a list."""
        with suppress(DatabaseUnavailable):
            with self.database.write() as connection:
                stored_at = self.database.now(connection)
                row = {"id": 1, "data": msgspec.msgpack.encode(cache), "listed_at": stored_at}
                upsert(connection, twin_list_cache, "id", row)
            self._stored_at = stored_at
