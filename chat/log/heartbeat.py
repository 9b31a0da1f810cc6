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

BEAT_SECONDS = 2.0
# Between two looks anything may have happened to whoever looks.
MOST_A_LOOK = 2.0


class Heartbeat:
    """The sign of life of this process, and what it has seen of others'."""

    # A producer whose count has not changed for this long is dead.
    lost_seconds = 7.0

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = database.clock
        self.producer = secrets.token_urlsafe(16)
        self._count = 0
        self._beaten_at = 0.0
        # For each producer its count, for how long it stands still, and when that was looked at.
        self._seen: dict[str, tuple[int, float, float]] = {}
        self._lock = threading.Lock()

    @property
    def due(self) -> bool:
        """Tell whether the next beat should be now."""
        return self._clock.monotonic() - self._beaten_at > BEAT_SECONDS

    def beat(self, connection: Connection) -> None:
        """Say that this process lives."""
        with self._lock:
            self._count += 1
            row = {"id": self.producer, "beat": self._count}
        upsert(connection, producers, "id", row)
        self._beaten_at = self._clock.monotonic()

    def lost(self, connection: Connection, turn_ids: Iterable[str]) -> list[str]:
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
            for turn_id, producer, beat in connection.execute(query)
            if producer == self.producer or beat is None or self._stands_still(producer, beat)
        ]

    def silent(self, connection: Connection) -> dict[str, int]:
        """Return the other producers whose counts stand still, with those counts."""
        others = connection.execute(select(producers).where(producers.c.id != self.producer))
        return {producer: beat for producer, beat in others if self._stands_still(producer, beat)}

    def dismiss(self, connection: Connection, producer: str, beat: int) -> None:
        """Count a producer as gone, unless it has beaten again; its running turns are lost then."""
        same = (producers.c.id == producer) & (producers.c.beat == beat)
        connection.execute(delete(producers).where(same))

    def forget(self) -> None:
        """Watch everybody anew: for a while nobody could write, the living neither."""
        with self._lock:
            self._seen.clear()

    def leave(self, connection: Connection) -> None:
        """Say that this process ends; whatever it has not ended itself is lost at once."""
        connection.execute(delete(producers).where(producers.c.id == self.producer))

    def _stands_still(self, producer: str, beat: int) -> bool:
        now = self._clock.monotonic()
        with self._lock:
            last, still, looked_at = self._seen.get(producer, (None, 0.0, now))
            # While the database was away, the living could not beat either.
            watched = 0.0 if self._database.failed_at > looked_at else now - looked_at
            still = still + min(max(0.0, watched), MOST_A_LOOK) if beat == last else 0.0
            self._seen[producer] = beat, still, now
        return still >= self.lost_seconds
