"""Leases: in a conversation one reply is written at a time, by whoever holds its lease."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from database import Database
from service.tables import conversations

# Shorter than a portal takes to see that its reply was cut off by a crash here.
LEASE_SECONDS = 6.0


def take(connection: Connection, conversation_id: str, message_id: str) -> bool:
    """Take the lease for the reply to a message, and say whether it was free."""
    now = time.time()
    free = (conversations.c.id == conversation_id) & (conversations.c.replying_until < now)
    lease = {
        "replying_until": now + LEASE_SECONDS,
        "replying_to": message_id,
        "stopping": False,
        "updated_at": now,
    }
    return bool(connection.execute(update(conversations).where(free).values(lease)).rowcount)


def give_back(connection: Connection, message_id: str) -> None:
    """Give the lease back, if it is still the one for the reply to this message."""
    over = {
        "replying_until": 0,
        "replying_to": None,
        "stopping": False,
        "updated_at": time.time(),
    }
    mine = conversations.c.replying_to == message_id
    connection.execute(update(conversations).where(mine).values(over))


class Leases:
    """Hold leases, and pass on who should stop."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def held(self, message_id: str) -> bool:
        """Tell whether somebody holds the lease for the reply to a message."""
        held = (conversations.c.replying_to == message_id) & (
            conversations.c.replying_until >= time.time()
        )
        with self.database.read() as connection:
            return connection.execute(select(conversations.c.id).where(held)).first() is not None

    def renew(self, message_ids: Sequence[str]) -> None:
        """Hold the leases for the replies to these messages a little longer."""
        mine = conversations.c.replying_to.in_(message_ids)
        until = time.time() + LEASE_SECONDS
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(replying_until=until))

    def ask_to_stop(self, message_id: str) -> None:
        """Leave word that the reply to a message should stop."""
        mine = conversations.c.replying_to == message_id
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(stopping=True))

    def to_be_stopped(self, message_ids: Sequence[str]) -> Sequence[str]:
        """Return those messages whose replies should stop."""
        mine = conversations.c.replying_to.in_(message_ids) & conversations.c.stopping
        with self.database.read() as connection:
            return list(connection.scalars(select(conversations.c.replying_to).where(mine)))
