"""The table of sessions, and of idempotency keys: encoded data with an expiry time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Float,
    LargeBinary,
    String,
    Table,
    bindparam,
    delete,
    select,
    update,
)

from twindow.core.db.database import Database
from twindow.core.db.metadata import metadata
from twindow.core.db.statements import insert_or_ignore, upsert

sessions = Table(
    "sessions",
    metadata,
    Column("key", String(128), primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("expires_at", Float, nullable=False, index=True),
)

# Minimum time between two deletions of expired rows.
PURGE_INTERVAL_SECONDS = 60
# When a session gets a new id, requests that have already begun can use the old id for this time.
REPLACED_SECONDS = 60
# Build the statement once: constructing it takes longer than executing it.
_SELECT_BY_KEY = select(sessions.c.data, sessions.c.expires_at).where(
    sessions.c.key == bindparam("key")
)
_SELECT_FOR_UPDATE = _SELECT_BY_KEY.with_for_update()


class SessionRows:
    """Repository of sessions, encoded as MessagePack."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._clock = database.clock
        self._purged_at = 0.0

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value of a key, or None if it is missing, expired or cannot be decoded."""
        with self.database.read() as connection:
            row = connection.execute(_SELECT_BY_KEY, {"key": key}).first()
        return self._decode(row)

    def merge(
        self,
        key: str,
        changes: Mapping[str, Any],
        removed_names: Collection[str],
        *,
        new_value: Mapping[str, Any] | None,
        replaced_key: str | None,
        seconds: int,
    ) -> bool:
        """Change items of a stored dictionary. Return whether the changes were stored.

        The row expires after `seconds`. If the key does not exist, the changes are applied
        to `new_value`, unless that is None. The row of `replaced_key` expires after
        `REPLACED_SECONDS`. From time to time, also delete expired rows.
        """
        # A new session must survive a power cut, or its person could not open their first message.
        with self.database.write(durable=new_value is not None) as connection:
            self._purge_expired(connection)
            row = connection.execute(_SELECT_FOR_UPDATE, {"key": key}).first()
            stored = self._decode(row)
            if new_value is None and (stored is None or self._is_replaced(row)):
                return False
            value = {**(new_value or {}), **(stored or {}), **changes}
            for name in removed_names:
                value.pop(name, None)
            upsert(connection, sessions, "key", self._row(key, value, seconds))
            if replaced_key:
                expires_at = self._clock.time() + REPLACED_SECONDS
                connection.execute(
                    update(sessions)
                    .where(sessions.c.key == replaced_key, sessions.c.expires_at > expires_at)
                    .values(expires_at=expires_at)
                )
        return True

    def add(self, key: str, *, seconds: int) -> bool:
        """Store an empty row if the key does not exist. Return whether it was stored."""
        with self.database.write() as connection:
            self._purge_expired(connection)
            insert = insert_or_ignore(connection, sessions)
            return bool(connection.execute(insert, self._row(key, {}, seconds)).rowcount)

    def put(self, key: str, value: Mapping[str, Any], *, seconds: int) -> None:
        """Store or replace the value of a key, for `take`."""
        with self.database.write() as connection:
            self._purge_expired(connection)
            upsert(connection, sessions, "key", self._row(key, value, seconds))

    def take(self, key: str) -> dict[str, Any] | None:
        """Delete the row of a key and return its value: of concurrent calls, one gets it."""
        with self.database.write(durable=True) as connection:
            row = connection.execute(_SELECT_FOR_UPDATE, {"key": key}).first()
            connection.execute(delete(sessions).where(sessions.c.key == key))
        return self._decode(row)

    def delete(self, key: str) -> None:
        """Delete the row of a key."""
        with self.database.write() as connection:
            connection.execute(delete(sessions).where(sessions.c.key == key))

    def _decode(self, row: Any) -> dict[str, Any] | None:
        if row is None or row.expires_at < self._clock.time():
            return None
        try:
            return msgspec.msgpack.decode(row.data, type=dict[str, Any])
        except msgspec.MsgspecError:
            return None

    def _is_replaced(self, row: Any) -> bool:
        return bool(row.expires_at <= self._clock.time() + REPLACED_SECONDS)

    def _row(self, key: str, value: Mapping[str, Any], seconds: int) -> dict[str, Any]:
        expires_at = self._clock.time() + seconds
        return {"key": key, "data": msgspec.msgpack.encode(value), "expires_at": expires_at}

    def _purge_expired(self, connection: Connection) -> None:
        now = self._clock.time()
        if not 0 <= now - self._purged_at < PURGE_INTERVAL_SECONDS:
            connection.execute(delete(sessions).where(sessions.c.expires_at < now))
            self._purged_at = now
