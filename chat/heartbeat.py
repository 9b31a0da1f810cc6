"""Whether the process that produces a reply still lives. It says so in the database."""

from __future__ import annotations

import secrets
import time

from sqlalchemy import Connection, insert, select, update

from chat.tables import producers, turns

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
        mine = producers.c.id == self.producer
        now = time.time()
        if not connection.execute(update(producers).where(mine).values(seen_at=now)).rowcount:
            connection.execute(insert(producers).values(id=self.producer, seen_at=now))
        self._beaten = time.monotonic()


def is_lost(connection: Connection, turn_id: str) -> bool:
    """Tell whether the process that produces the reply to this turn is gone."""
    query = (
        select(producers.c.seen_at)
        .select_from(turns.outerjoin(producers, turns.c.producer == producers.c.id))
        .where(turns.c.id == turn_id)
    )
    seen_at = connection.execute(query).scalar()
    return seen_at is None or time.time() - seen_at >= LOST_SECONDS
