"""Limit of the messages that one person keeps, which bounds the database."""

from __future__ import annotations

from sqlalchemy import Connection, Integer, bindparam, func, select

from chat.quota.status import SendingBlocked
from chat.schema import conversations, turns
from core.languages import N_

HISTORY_FULL = N_(
    "You've reached the limit of saved messages. Delete conversations that you no longer need."
)

# The query is built once, because every message executes it.
_KEPT_TURNS = (
    select(turns.c.id)
    .join(conversations)
    .where(conversations.c.person == bindparam("person"), conversations.c.deleted_at.is_(None))
    .limit(bindparam("limit", type_=Integer))
)
_COUNT_KEPT = select(func.count()).select_from(_KEPT_TURNS.subquery())


def check_history(connection: Connection, person: str, limit: int) -> None:
    """Check that the person keeps fewer than `limit` messages. Raises SendingBlocked."""
    parameters = {"person": person, "limit": limit}
    if connection.execute(_COUNT_KEPT, parameters).scalar_one() >= limit:
        raise SendingBlocked(HISTORY_FULL, None)
