"""Number of requests that messages have cost."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, bindparam, case, func, select

from chat.schema import conversations, turns

FIRST_TURN_REQUESTS = 2  # it creates the conversation, too

# Built once, because every page with a composer executes them.
_COST = func.coalesce(func.sum(case((turns.c.position == 1, FIRST_TURN_REQUESTS), else_=1)), 0)
_SELECT_SPENT = select(_COST, func.min(turns.c.created_at)).where(
    turns.c.charged, turns.c.created_at > bindparam("since")
)
_SELECT_SPENT_BY_PERSON = _SELECT_SPENT.join_from(turns, conversations).where(
    conversations.c.person == bindparam("person")
)


def count_spent(
    connection: Connection, since: float, *, person: str | None = None
) -> tuple[int, float | None]:
    """Return the requests spent since a time, and the time of the first charged turn."""
    query = _SELECT_SPENT if person is None else _SELECT_SPENT_BY_PERSON
    spent, oldest = connection.execute(query, {"since": since, "person": person}).one()
    return int(spent), oldest


def is_new_window(connection: Connection, row: Row[Any] | None, now: float) -> bool:
    """Return whether the service has reset the quota but no message has been sent since."""
    if row is None or not row.resets_at or not row.resets_at <= now:
        return False
    spent, _ = count_spent(connection, row.resets_at)
    return spent == 0
