"""Whether the process that produces a reply still lives. It counts its beats in the database.

No clock is compared with another: whoever asks watches for how long a count stands still, and a
time in which it did not look itself counts little. So clocks that differ or jump end no reply, nor
does a machine that was asleep.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from chat.schema import producers, turns
from core.database import Database, upsert

HEARTBEAT_SECONDS = 2.0
# Between two looks anything may have happened to whoever looks.
MAX_OBSERVATION_SECONDS = 2.0


class Heartbeat:
    """The sign of life of this process, and what it has seen of others'."""

    # A producer whose count has not changed for this long is dead.
    stale_after_seconds = 7.0

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = database.clock
        self.worker_id = secrets.token_urlsafe(16)
        self._beat_count = 0
        self._recorded_at = 0.0
        # For each producer its count, for how long it stands still, and when that was looked at.
        self._observations: dict[str, tuple[int, float, float]] = {}
        self._lock = threading.Lock()

    @property
    def is_due(self) -> bool:
        """Tell whether the next beat should be now."""
        return self._clock.monotonic() - self._recorded_at > HEARTBEAT_SECONDS

    def record_heartbeat(self, connection: Connection) -> None:
        """Say that this process lives."""
        with self._lock:
            self._beat_count += 1
            row = {"id": self.worker_id, "beat": self._beat_count}
        upsert(connection, producers, "id", row)
        self._recorded_at = self._clock.monotonic()

    def abandoned_turns(self, connection: Connection, turn_ids: Iterable[str]) -> list[str]:
        """Return those running turns that nobody is left to go on with.

        None of the turns may be held by this process itself.
        """
        query = (
            select(turns.c.id, turns.c.producer, producers.c.beat)
            .select_from(turns.outerjoin(producers, turns.c.producer == producers.c.id))
            .where(turns.c.id.in_(list(turn_ids)), turns.c.producer != "")
        )
        return [
            turn_id
            for turn_id, worker_id, beat_count in connection.execute(query)
            if worker_id == self.worker_id
            or beat_count is None
            or self._is_stale(worker_id, beat_count)
        ]

    def stale_workers(self, connection: Connection) -> dict[str, int]:
        """Return the other producers whose counts stand still, with those counts."""
        others = connection.execute(select(producers).where(producers.c.id != self.worker_id))
        return {
            worker_id: beat_count
            for worker_id, beat_count in others
            if self._is_stale(worker_id, beat_count)
        }

    def remove_worker(self, connection: Connection, worker_id: str, beat_count: int) -> None:
        """Count a producer as gone, unless it has beaten again; its running turns are lost then."""
        condition = (producers.c.id == worker_id) & (producers.c.beat == beat_count)
        connection.execute(delete(producers).where(condition))

    def forget_observations(self) -> None:
        """Watch everybody anew: for a while nobody could write, the living neither."""
        with self._lock:
            self._observations.clear()

    def remove_own_heartbeat(self, connection: Connection) -> None:
        """Say that this process ends; whatever it has not ended itself is lost at once."""
        connection.execute(delete(producers).where(producers.c.id == self.worker_id))

    def _is_stale(self, worker_id: str, beat_count: int) -> bool:
        now = self._clock.monotonic()
        with self._lock:
            last_count, stale_seconds, observed_at = self._observations.get(
                worker_id, (None, 0.0, now)
            )
            # While the database was away, the living could not beat either.
            observed_seconds = (
                0.0 if self._database.last_failure_at > observed_at else now - observed_at
            )
            stale_seconds = (
                stale_seconds + min(max(0.0, observed_seconds), MAX_OBSERVATION_SECONDS)
                if beat_count == last_count
                else 0.0
            )
            self._observations[worker_id] = beat_count, stale_seconds, now
        return stale_seconds >= self.stale_after_seconds
