"""Limit of the replies to one person that may run at once."""

from __future__ import annotations

from sqlalchemy import Connection, Integer, bindparam, func, select

from chat.quota.status import SendingBlocked
from chat.schema import conversations, turns
from core.languages import N_

TOO_MANY_REPLIES = N_("Several replies are still running. Wait for one of them or stop it.")

# The query is built once, because every message executes it. A person may have very many turns, but
# few replies are running. `coalesce` prevents the use of the index on `person`, so the query begins
# with the running turns.
_IS_PERSONS = func.coalesce(conversations.c.person, "") == bindparam("person")
_RUNNING_TURNS = (
    select(turns.c.id)
    .join(conversations)
    .where(turns.c.producer > "", _IS_PERSONS)
    .limit(bindparam("limit", type_=Integer))
)
_COUNT_RUNNING = select(func.count()).select_from(_RUNNING_TURNS.subquery())


def check_running_replies(connection: Connection, person: str, limit: int) -> None:
    """Check that fewer than `limit` replies to the person are running. Raises SendingBlocked."""
    parameters = {"person": person, "limit": limit}
    if connection.execute(_COUNT_RUNNING, parameters).scalar_one() >= limit:
        raise SendingBlocked(TOO_MANY_REPLIES, None)
