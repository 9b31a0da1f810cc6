"""Heartbeats of worker processes: each increments a counter in the database.

Clocks of different processes are never compared. An observer measures how long a counter stays
unchanged. The time between two observations counts as `MAX_OBSERVATION_SECONDS` at most. So no
reply ends because clocks differ or jump, or because the observing process was suspended.
"""

from __future__ import annotations

import math
import secrets
import threading
from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select

from twindow.chat.schema import turns, workers
from twindow.core.db.database import Database
from twindow.core.db.statements import upsert

HEARTBEAT_SECONDS = 2.0
# The observer itself may have been suspended between two observations.
MAX_OBSERVATION_SECONDS = 2.0


class Heartbeat:
    """Heartbeat of this process, and its observations of the other processes."""

    # A worker whose counter has not changed for this long is dead.
    stale_after_seconds = 7.0

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = database.clock
        self.worker_id = secrets.token_urlsafe(16)
        self._counter = 0
        self._recorded_at = -math.inf
        # Maps a worker id to its last counter, the seconds for which the counter has not changed,
        # and the time of the last observation.
        self._observations: dict[str, tuple[int, float, float]] = {}
        self._lock = threading.Lock()

    def record_if_due(self, *, reserved: bool = False) -> None:
        """Record a heartbeat, unless that was done a moment ago.

        The transaction waits for no lock of a turn. Raises DatabaseUnavailable.
        """
        if self._clock.monotonic() - self._recorded_at > HEARTBEAT_SECONDS:
            with self._database.write(reserved=reserved) as connection:
                self.record_heartbeat(connection)

    def record_heartbeat(self, connection: Connection) -> None:
        """Increment and store the counter of this process."""
        with self._lock:
            self._counter += 1
            row = {"id": self.worker_id, "heartbeat": self._counter}
        upsert(connection, workers, "id", row)
        self._recorded_at = self._clock.monotonic()

    def abandoned_turn_ids(self, connection: Connection, turn_ids: Iterable[str]) -> list[str]:
        """Return the ids of the running turns among `turn_ids` that have no live worker.

        Do not pass turns that have a buffer in this process. All other turns whose worker is this
        process count as abandoned. Each call is also an observation of the workers.
        """
        query = (
            select(turns.c.id, turns.c.worker, workers.c.heartbeat)
            .select_from(turns.outerjoin(workers, turns.c.worker == workers.c.id))
            .where(turns.c.id.in_(list(turn_ids)), turns.c.worker != "")
        )
        return [
            turn_id
            for turn_id, worker_id, beat_count in connection.execute(query)
            if worker_id == self.worker_id
            or beat_count is None
            or self._is_stale(worker_id, beat_count)
        ]

    def stale_workers(self, connection: Connection) -> dict[str, int]:
        """Return the ids of the other workers that seem to be dead, with their counters.

        Each call is also an observation of the workers.
        """
        others = connection.execute(select(workers).where(workers.c.id != self.worker_id))
        return {
            worker_id: beat_count
            for worker_id, beat_count in others
            if self._is_stale(worker_id, beat_count)
        }

    def remove_worker(self, connection: Connection, worker_id: str, beat_count: int) -> None:
        """Delete a worker if its counter is still `beat_count`.

        The running turns of a deleted worker are abandoned.
        """
        condition = (workers.c.id == worker_id) & (workers.c.heartbeat == beat_count)
        connection.execute(delete(workers).where(condition))

    def forget_observations(self) -> None:
        """Restart all observations.

        Call this when even live workers may have been unable to write heartbeats.
        """
        with self._lock:
            self._observations.clear()

    def remove_own_heartbeat(self, connection: Connection) -> None:
        """Delete the row of this process when it shuts down.

        The running turns of this process then count as abandoned.
        """
        connection.execute(delete(workers).where(workers.c.id == self.worker_id))

    def probe(self, connection: Connection) -> None:
        """Insert and delete a row, to test whether the database accepts writes."""
        probe_id = f"{self.worker_id[:20]}-probe"
        connection.execute(insert(workers).values(id=probe_id, heartbeat=0))
        connection.execute(delete(workers).where(workers.c.id == probe_id))

    def _is_stale(self, worker_id: str, beat_count: int) -> bool:
        now = self._clock.monotonic()
        with self._lock:
            last_count, stale_seconds, observed_at = self._observations.get(
                worker_id, (None, 0.0, now)
            )
            # While the database was unavailable, live workers could not send heartbeats either.
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
