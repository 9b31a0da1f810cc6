"""Leases on conversations, which allow one reply at a time across all processes."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select, update

from twindow.core.db.database import Database
from twindow.service.schema import conversations

# After a crash, a lease must expire before the portal interrupts the reply and offers "Try again",
# so leases are shorter than `stale_after_seconds` of the portal's heartbeats.
LEASE_SECONDS = 6.0


def acquire(
    connection: Connection, conversation_id: str, message_id: str, now: float
) -> str | None:
    """Acquire a lease for the reply to a message.

    Returns the id of the lease, or None if the conversation is leased or was deleted.
    """
    is_free = (conversations.c.id == conversation_id) & (conversations.c.lease_expires_at < now)
    # Each lease has its own id: the holder of an expired lease must not act on the next one.
    lease_id = secrets.token_urlsafe(16)
    values = {
        "lease_expires_at": now + LEASE_SECONDS,
        "lease_message_id": message_id,
        "lease_id": lease_id,
        "stop_requested": False,
        "updated_at": now,
    }
    updated_rows = connection.execute(update(conversations).where(is_free).values(values)).rowcount
    return lease_id if updated_rows else None


def release(connection: Connection, lease_id: str, now: float) -> bool:
    """Release a lease; return False if the lease was no longer held."""
    values = {"lease_expires_at": 0, "lease_id": None, "updated_at": now}
    is_holder = conversations.c.lease_id == lease_id
    return bool(connection.execute(update(conversations).where(is_holder).values(values)).rowcount)


class Leases:
    """Renew leases, and pass stop requests between processes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def renew(self, lease_ids: Iterable[str]) -> None:
        """Extend leases to `LEASE_SECONDS` from now."""
        is_holder = conversations.c.lease_id.in_(list(lease_ids))
        with self.database.write() as connection:
            expires_at = self.database.now(connection) + LEASE_SECONDS
            connection.execute(
                update(conversations).where(is_holder).values(lease_expires_at=expires_at)
            )

    def request_stop(self, message_id: str) -> None:
        """Request that the reply to a message stops, in whichever process it is written."""
        condition = conversations.c.lease_message_id == message_id
        is_held = conversations.c.lease_id.is_not(None)
        with self.database.write() as connection:
            connection.execute(
                update(conversations).where(condition, is_held).values(stop_requested=True)
            )

    def stop_requests(self, lease_ids: Iterable[str]) -> Mapping[str, bool]:
        """Map the id of each lease that is still held to whether a stop was requested.

        A lease is no longer held if its conversation was deleted, or if another holder has acquired
        the conversation.
        """
        query = select(conversations.c.lease_id, conversations.c.stop_requested)
        is_holder = conversations.c.lease_id.in_(list(lease_ids))
        with self.database.read() as connection:
            return {
                row.lease_id: row.stop_requested
                for row in connection.execute(query.where(is_holder))
            }
