"""Limits of failed attempts to sign in, shared by all processes."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, select, update

from accounts.schema import sign_in_attempts as table
from core.database import Database, upsert

WINDOW_SECONDS = 900


class Attempts:
    """Counters of failed attempts. The window of a counter begins with its first failure."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def count(self, limits: Mapping[str, int]) -> float:
        """Count a failed attempt for each key, and return 0.

        `limits` maps each key to the number of failures allowed in a window. If a key has reached
        its limit, count nothing and return the seconds to wait. Attempts are counted before the
        password is verified, so that parallel attempts cannot exceed the limit.
        """
        now = self.database.clock.time()
        with self.database.write() as connection:
            for key in limits:
                self.database.advisory_lock(connection, f"sign-in {key}")
            connection.execute(delete(table).where(table.c.resets_at <= now))
            query = select(table).where(table.c.key.in_(limits))
            rows = {row.key: row for row in connection.execute(query)}
            reached = [row.resets_at for row in rows.values() if row.failures >= limits[row.key]]
            if reached:
                return float(max(reached) - now)
            for key in limits:
                row = rows.get(key)
                values = {
                    "key": key,
                    "failures": row.failures + 1 if row else 1,
                    "resets_at": row.resets_at if row else now + WINDOW_SECONDS,
                }
                upsert(connection, table, "key", values)
        return 0.0

    def reset(self, key: str) -> None:
        """Forget the failures of a key."""
        with self.database.write() as connection:
            connection.execute(delete(table).where(table.c.key == key))

    def take_back(self, key: str) -> None:
        """Decrement the counter of a key, for an attempt that was counted but did not fail."""
        one_less = {"failures": table.c.failures - 1}
        with self.database.write() as connection:
            connection.execute(update(table).where(table.c.key == key).values(one_less))
