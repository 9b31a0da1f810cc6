"""Idempotency keys of requests that create a resource: a repeat returns the same resource.

The keys of messages are in `service/conversations/messages.py`, because a repeat there may also
resume a reply.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from core.database import insert_or_ignore
from service.schema import creations

# How long an idempotency key is remembered.
IDEMPOTENCY_KEY_SECONDS = 24 * 3600


class IdempotencyKeyReused(Exception):
    """Raised when an idempotency key is used again for another request."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The sender of a message and the idempotency key that they chose for it."""

    sub: str
    key: str


@dataclass(frozen=True, slots=True)
class Creation:
    """A request that creates a resource.

    `sub`, `operation` and `key` identify it; `request` is a digest of its body.
    """

    sub: str
    operation: str
    key: str
    request: str


def remember(connection: Connection, creation: Creation, new_id: str, now: float) -> str:
    """Return the id of the resource that this request has created before, or else `new_id`.

    Raises IdempotencyKeyReused if the earlier request differs.
    """
    is_old = creations.c.at < now - IDEMPOTENCY_KEY_SECONDS
    connection.execute(delete(creations).where(is_old))
    identity = {"sub": creation.sub, "operation": creation.operation, "key": creation.key}
    row = identity | {"request": creation.request, "resource_id": new_id, "at": now}
    statement = insert_or_ignore(connection, creations).values(row)
    if connection.execute(statement.returning(creations.c.key)).first():
        return new_id
    query = select(creations.c.request, creations.c.resource_id).filter_by(**identity)
    request, resource_id = connection.execute(query).one()
    if request != creation.request:
        raise IdempotencyKeyReused
    return str(resource_id)
