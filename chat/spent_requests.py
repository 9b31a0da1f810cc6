"""Number of requests that messages have used of the quota, or have reserved."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select, update

from chat.schema import conversations, turns

FIRST_TURN_REQUESTS = 2  # it creates the conversation, too

# Built once, because every page with a composer executes them.
_SELECT_SPENT = select(
    func.coalesce(func.sum(turns.c.requests), 0), func.min(turns.c.created_at)
).where(turns.c.requests > 0, turns.c.created_at > bindparam("since"))
_SELECT_SPENT_BY_PERSON = _SELECT_SPENT.join_from(turns, conversations).where(
    conversations.c.person == bindparam("person")
)
_SELECT_SPENT_FROM_ADDRESS = _SELECT_SPENT.where(
    turns.c.address.in_(bindparam("address_hashes", expanding=True))
)

Spent = tuple[int, float | None]


def count_spent(connection: Connection, since: float) -> Spent:
    """Return the requests spent since a time, and the time of the first turn among them."""
    spent, oldest = connection.execute(_SELECT_SPENT, {"since": since}).one()
    return int(spent), oldest


def count_spent_by_person(connection: Connection, since: float, person: str) -> Spent:
    """Return what `count_spent` returns, for the turns of one person."""
    parameters = {"since": since, "person": person}
    spent, oldest = connection.execute(_SELECT_SPENT_BY_PERSON, parameters).one()
    return int(spent), oldest


def count_spent_from_address(
    connection: Connection, since: float, address_hashes: Sequence[str]
) -> Spent:
    """Return what `count_spent` returns, for the turns of one address, whose hashes these are."""
    parameters = {"since": since, "address_hashes": address_hashes}
    spent, oldest = connection.execute(_SELECT_SPENT_FROM_ADDRESS, parameters).one()
    return int(spent), oldest


def add_requests(connection: Connection, turn_id: str, requests: int) -> None:
    """Add requests to those of a turn."""
    values = {"requests": turns.c.requests + requests}
    connection.execute(update(turns).where(turns.c.id == turn_id).values(values))
