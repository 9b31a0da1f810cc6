"""Idempotency keys of requests that create a resource: a repeat returns the same resource.

The keys of messages are in `service/conversations/messages.py`, because a repeat there may also
resume a reply.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from core.database import insert_or_ignore
from core.keyed_hash import keyed_hash
from service.schema import creations

# How long an idempotency key is remembered.
IDEMPOTENCY_KEY_SECONDS = 24 * 3600


class IdempotencyKeyReused(Exception):
    """Raised when an idempotency key is used again for another request."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The sender of a request and the idempotency key that they chose for it.

    Only the `digest` of the key is stored.
    """

    sub: str
    key: str
    digest: str

    @property
    def stored_forms(self) -> tuple[str, str]:
        """Return the values under which the key may be stored: its digest, or the key itself.

        Earlier versions stored the key itself; these keys are deleted after a day.
        """
        return self.digest, self.key


def make_idempotency_key(secret_key: str, sub: str, key: str) -> IdempotencyKey:
    """Return an IdempotencyKey whose digest is an HMAC of `sub` and `key`."""
    return IdempotencyKey(sub, key, keyed_hash(secret_key, "idempotency key", sub, key))


@dataclass(frozen=True, slots=True)
class Creation:
    """A request that creates a resource; `request` is a digest of its body."""

    idempotency_key: IdempotencyKey
    operation: str
    request: str


def remember(connection: Connection, creation: Creation, new_id: str, now: float) -> str:
    """Return the id of the resource that this request has created before, or else `new_id`.

    Raises IdempotencyKeyReused if the earlier request differs.
    """
    is_old = creations.c.at < now - IDEMPOTENCY_KEY_SECONDS
    connection.execute(delete(creations).where(is_old))
    key = creation.idempotency_key
    query = select(creations.c.request, creations.c.resource_id).where(
        creations.c.sub == key.sub,
        creations.c.operation == creation.operation,
        creations.c.key.in_(key.stored_forms),
    )
    earlier = connection.execute(query).first()
    if earlier is None:
        row = {
            "sub": key.sub,
            "operation": creation.operation,
            "key": key.digest,
            "request": creation.request,
            "resource_id": new_id,
            "at": now,
        }
        statement = insert_or_ignore(connection, creations).values(row)
        if connection.execute(statement.returning(creations.c.key)).first():
            return new_id
        earlier = connection.execute(query).one()  # another process has just inserted the key
    if earlier.request != creation.request:
        raise IdempotencyKeyReused
    return str(earlier.resource_id)
