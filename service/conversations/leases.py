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


class LeaseState(Enum):
    """How the reply to a message stands."""

    HELD = "somebody writes it"
    EXPIRED = "whoever wrote it is gone"
    STOPPED = "it was stopped"
    RELEASED = "it is over"


def acquire(
    connection: Connection, conversation_id: str, message_id: str, now: float
) -> str | None:
    """Take the lease for the reply to a message, and return it; None while somebody holds one."""
    is_free = (conversations.c.id == conversation_id) & (conversations.c.replying_until < now)
    # The holder has a name of its own: one that lapsed must not act for the next.
    lease_id = secrets.token_urlsafe(16)
    values = {
        "replying_until": now + LEASE_SECONDS,
        "replying_to": message_id,
        "replying_by": lease_id,
        "stopping": False,
        "updated_at": now,
    }
    updated_rows = connection.execute(update(conversations).where(is_free).values(values)).rowcount
    return lease_id if updated_rows else None


def release(connection: Connection, lease_id: str, now: float, *, is_stopped: bool) -> bool:
    """Give a lease back, and say whether nobody else has taken it meanwhile."""
    values = {
        "replying_until": 0,
        "replying_by": None,
        "stopping": is_stopped,
        "updated_at": now,
    }
    owned_by = conversations.c.replying_by == lease_id
    return bool(connection.execute(update(conversations).where(owned_by).values(values)).rowcount)


class Leases:
    """Hold leases, and pass on who should stop."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._clock = database.clock

    def state(self, message_id: str) -> LeaseState:
        """Tell how the reply to a message stands."""
        columns = ("replying_until", "replying_by", "stopping")
        query = select(*(conversations.c[name] for name in columns))
        with self.database.read() as connection:
            row = connection.execute(query.where(conversations.c.replying_to == message_id)).first()
        if row and row.replying_by:
            return (
                LeaseState.HELD if row.replying_until >= self._clock.time() else LeaseState.EXPIRED
            )
        return LeaseState.STOPPED if row and row.stopping else LeaseState.RELEASED

    def renew(self, lease_ids: Iterable[str]) -> None:
        """Hold leases a little longer."""
        owned_by = conversations.c.replying_by.in_(list(lease_ids))
        expires_at = self._clock.time() + LEASE_SECONDS
        with self.database.write() as connection:
            connection.execute(
                update(conversations).where(owned_by).values(replying_until=expires_at)
            )

    def request_stop(self, message_id: str) -> None:
        """Leave word that the reply to a message should stop."""
        condition = conversations.c.replying_to == message_id
        is_held = conversations.c.replying_by.is_not(None)
        with self.database.write() as connection:
            connection.execute(
                update(conversations).where(condition, is_held).values(stopping=True)
            )

    def message_ids_to_stop(self, lease_ids: Iterable[str]) -> Sequence[str]:
        """Return the messages whose replies, of these holders, should stop."""
        condition = conversations.c.replying_by.in_(list(lease_ids)) & conversations.c.stopping
        with self.database.read() as connection:
            return list(connection.scalars(select(conversations.c.replying_to).where(condition)))
