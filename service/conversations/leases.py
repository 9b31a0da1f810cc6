"""Leases: in a conversation one reply is written at a time, by whoever holds its lease."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from enum import Enum

from sqlalchemy import Connection, select, update

from core.database import Database
from service.schema import conversations

# Shorter than a portal takes to see that its reply was cut off by a crash here.
LEASE_SECONDS = 6.0


class Stand(Enum):
    """How the reply to a message stands."""

    HELD = "somebody writes it"
    LAPSED = "whoever wrote it is gone"
    STOPPED = "it was stopped"
    OVER = "it is over"


def take(connection: Connection, conversation_id: str, message_id: str, now: float) -> str | None:
    """Take the lease for the reply to a message, and return it; None while somebody holds one."""
    free = (conversations.c.id == conversation_id) & (conversations.c.replying_until < now)
    # The holder has a name of its own: one that lapsed must not act for the next.
    holder = secrets.token_urlsafe(16)
    lease = {
        "replying_until": now + LEASE_SECONDS,
        "replying_to": message_id,
        "replying_by": holder,
        "stopping": False,
        "updated_at": now,
    }
    taken = connection.execute(update(conversations).where(free).values(lease)).rowcount
    return holder if taken else None


def give_back(connection: Connection, holder: str, now: float, *, stopped: bool) -> bool:
    """Give a lease back, and say whether nobody else has taken it meanwhile."""
    over = {
        "replying_until": 0,
        "replying_by": None,
        "stopping": stopped,
        "updated_at": now,
    }
    mine = conversations.c.replying_by == holder
    return bool(connection.execute(update(conversations).where(mine).values(over)).rowcount)


class Leases:
    """Hold leases, and pass on who should stop."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._clock = database.clock

    def stand(self, message_id: str) -> Stand:
        """Tell how the reply to a message stands."""
        columns = ("replying_until", "replying_by", "stopping")
        query = select(*(conversations.c[name] for name in columns))
        with self.database.read() as connection:
            row = connection.execute(query.where(conversations.c.replying_to == message_id)).first()
        if row and row.replying_by:
            return Stand.HELD if row.replying_until >= self._clock.time() else Stand.LAPSED
        return Stand.STOPPED if row and row.stopping else Stand.OVER

    def renew(self, holders: Iterable[str]) -> None:
        """Hold leases a little longer."""
        mine = conversations.c.replying_by.in_(list(holders))
        until = self._clock.time() + LEASE_SECONDS
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(replying_until=until))

    def ask_to_stop(self, message_id: str) -> None:
        """Leave word that the reply to a message should stop."""
        mine = conversations.c.replying_to == message_id
        held = conversations.c.replying_by.is_not(None)
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine, held).values(stopping=True))

    def to_be_stopped(self, holders: Iterable[str]) -> Sequence[str]:
        """Return the messages whose replies, of these holders, should stop."""
        mine = conversations.c.replying_by.in_(list(holders)) & conversations.c.stopping
        with self.database.read() as connection:
            return list(connection.scalars(select(conversations.c.replying_to).where(mine)))
