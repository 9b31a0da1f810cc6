"""Whether the process that produces a reply still lives. It says so in the database."""

from __future__ import annotations

import secrets
import time

from sqlalchemy import Connection, select

from chat.tables import producers, turns
from database import upsert

BEAT_SECONDS = 2.0
# A producer that has not said it lives for this long is gone, and so are its replies.
LOST_SECONDS = 8.0


class Heartbeat:
    """The sign of life of this process. `producer` is its name."""

    def __init__(self) -> None:
        self.producer = secrets.token_urlsafe(16)
        self._beaten = 0.0

    @property
    def due(self) -> bool:
        """Tell whether the next beat should be now."""
        return time.monotonic() - self._beaten > BEAT_SECONDS

    def beat(self, connection: Connection) -> None:
        """Say that this process lives."""
        upsert(connection, producers, "id", {"id": self.producer, "seen_at": time.time()})
        self._beaten = time.monotonic()


def is_lost(connection: Connection, turn_id: str, asking: str) -> bool:
    """Tell whether nobody is left who produces the reply to this turn.

    `asking` is the producer that asks, and that does not hold the turn.
    """
    query = (
        select(turns.c.producer, producers.c.seen_at)
        .select_from(turns.outerjoin(producers, turns.c.producer == producers.c.id))
        .where(turns.c.id == turn_id)
    )
    producer, seen_at = connection.execute(query).one()
    if producer == asking or seen_at is None:
        return True
    return time.time() - float(seen_at) >= LOST_SECONDS
