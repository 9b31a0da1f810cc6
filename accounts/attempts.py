"""Limits of failed attempts to sign in, shared by all processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, delete, select

from accounts.schema import sign_in_attempts as table
from core.db.database import Database, dialect_insert

WINDOW_SECONDS = 900
# Failed attempts that are allowed in a window: with one name, and from one network address.
MAX_ACCOUNT_FAILURES = 10
MAX_ADDRESS_FAILURES = 50


class Attempts:
    """Counters of failed attempts. The window of a counter begins with its first failure."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def seconds_to_wait(self, connection: Connection, limits: Mapping[str, int]) -> float:
        """Return how long the next attempt has to wait; 0 if it may be made now.

        `limits` maps the key of each counter to the number of failures allowed in a window.
        """
        now = self.database.clock.time()
        rows = connection.execute(select(table).where(table.c.key.in_(limits)))
        waits = [row.resets_at - now for row in rows if row.failures >= limits[row.key]]
        return float(max([0.0, *waits]))

    def count_failure(self, keys: Iterable[str]) -> None:
        """Count a failed attempt for each key."""
        now = self.database.clock.time()
        with self.database.write() as connection:
            connection.execute(delete(table).where(table.c.resets_at <= now))
            insert = dialect_insert(connection.dialect.name, table)
            statement = insert.on_conflict_do_update(
                index_elements=["key"], set_={"failures": table.c.failures + 1}
            )
            for key in sorted(keys):  # PostgreSQL locks the rows: in one order, no deadlock
                values = {"key": key, "failures": 1, "resets_at": now + WINDOW_SECONDS}
                connection.execute(statement, values)

    def reset(self, connection: Connection, key: str) -> None:
        """Forget the failures of a key."""
        connection.execute(delete(table).where(table.c.key == key))
