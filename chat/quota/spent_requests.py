"""Counts of the requests that messages have used or reserved from the quota."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select, update

from chat.schema import conversations, turns
from core.database import Database

DAY_SECONDS = 24 * 3600.0
# A transaction of SQLite blocks all greenlets.
CLEARED_TURNS_PER_TRANSACTION = 20
CLEAR_PAUSE_SECONDS = 0.01
FIRST_TURN_REQUESTS = 2  # one request creates the conversation, one sends the message

# These queries are built once, because each message and each page with a composer executes some of
# them.
_SELECT_SPENT = select(
    func.coalesce(func.sum(turns.c.requests), 0), func.min(turns.c.created_at)
).where(
    turns.c.quota_owner == bindparam("owner"),
    turns.c.requests > 0,
    turns.c.created_at > bindparam("since"),
)
_SELECT_SPENT_BY_PERSON = _SELECT_SPENT.join_from(turns, conversations).where(
    conversations.c.person == bindparam("person")
)
_SELECT_SPENT_FROM_ADDRESS = _SELECT_SPENT.where(
    turns.c.address.in_(bindparam("address_hashes", expanding=True))
)

Spent = tuple[int, float | None]


def requests_of_message(service_id: str | None) -> int:
    """Return how many requests a message needs: two if the conversation has no `service_id` yet."""
    return 1 if service_id else FIRST_TURN_REQUESTS


def count_spent(connection: Connection, since: float, owner: str = "") -> Spent:
    """Return the number of requests spent since a time.

    Also returns the creation time of the oldest turn with such requests, or None. `owner` is the
    owner of the quota; "" is the portal.
    """
    spent, oldest = connection.execute(_SELECT_SPENT, {"since": since, "owner": owner}).one()
    return int(spent), oldest


def count_spent_by_person(connection: Connection, since: float, person: str) -> Spent:
    """Return what `count_spent` returns, for the turns of one person with the portal's key."""
    parameters = {"since": since, "owner": "", "person": person}
    spent, oldest = connection.execute(_SELECT_SPENT_BY_PERSON, parameters).one()
    return int(spent), oldest


def count_spent_from_address(
    connection: Connection, since: float, address_hashes: Sequence[str]
) -> Spent:
    """Return what `count_spent` returns, for the turns of one address.

    `address_hashes` are the hashes of that address.
    """
    parameters = {"since": since, "owner": "", "address_hashes": address_hashes}
    spent, oldest = connection.execute(_SELECT_SPENT_FROM_ADDRESS, parameters).one()
    return int(spent), oldest


def add_requests(connection: Connection, turn_id: str, requests: int) -> None:
    """Increase the number of requests of a turn."""
    values = {"requests": turns.c.requests + requests}
    connection.execute(update(turns).where(turns.c.id == turn_id).values(values))


def clear_old_addresses(database: Database) -> None:
    """Clear the addresses of turns that are older than a day.

    Short transactions with pauses let other requests continue. The oldest addresses are cleared
    first. After an interruption, the next run finds the rest, because `_ranges_with_addresses`
    searches from the newest turns and stops at the first range without addresses.
    """
    for since, until in reversed(_ranges_with_addresses(database)):
        is_old = (turns.c.created_at >= since) & (turns.c.created_at < until)
        with database.write() as connection:
            connection.execute(
                update(turns).where(is_old, turns.c.address != "").values(address="")
            )
        database.clock.sleep(CLEAR_PAUSE_SECONDS)


def _ranges_with_addresses(database: Database) -> list[tuple[float, float]]:
    """Return the time ranges in which old turns still have addresses, newest first.

    Each range contains a few turns that are older than a day.
    """
    with database.read() as connection:
        until = database.now(connection) - DAY_SECONDS
    ranges: list[tuple[float, float]] = []
    while True:
        query = select(turns.c.created_at, turns.c.address).where(turns.c.created_at < until)
        query = query.order_by(turns.c.created_at.desc()).limit(CLEARED_TURNS_PER_TRANSACTION)
        with database.read() as connection:
            rows = connection.execute(query).all()
        if not any(row.address for row in rows):
            return ranges
        ranges.append((rows[-1].created_at, until))
        until = rows[-1].created_at
        database.clock.sleep(CLEAR_PAUSE_SECONDS)
