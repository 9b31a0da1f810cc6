"""The hashed address that a message came from is stored for a day, then cleared."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import count, pairwise

from sqlalchemy import func, insert, select

from chat.deletion import Deletions
from chat.log.log import Log
from chat.quota.spent_requests import (
    CLEARED_TURNS_PER_TRANSACTION,
    DAY_SECONDS,
    clear_old_addresses,
)
from chat.schema import turns
from chat.turn_rows import Turn
from chat.turns import Turns
from core.clock import Clock
from tests.chat.conftest import both_databases
from tests.support.waiting import wait_until

positions = count(10)


def insert_turns(log: Log, turn: Turn, ages: list[float]) -> None:
    """Insert turns of these ages in seconds, each with an address."""
    rows = [
        {
            "id": str(position),
            "conversation_id": turn.conversation_id,
            "position": position,
            "press": str(position),
            "content": "Hello",
            "producer": "",
            "created_at": time.time() - age,
            "address": "home",
        }
        for position, age in zip(positions, ages, strict=False)
    ]
    with log.database.write() as connection:
        connection.execute(insert(turns), rows)


def ages_with_address(log: Log) -> list[int]:
    """Return the ages in days of the turns that have an address, oldest first."""
    with log.database.read() as connection:
        query = select(turns.c.created_at).where(turns.c.address != "")
        times = connection.scalars(query.order_by(turns.c.created_at))
        return [int((time.time() - created_at) / DAY_SECONDS) for created_at in times]


def count_with_address(log: Log) -> int:
    with log.database.read() as connection:
        query = select(func.count()).where(turns.c.address != "")
        return int(connection.execute(query).scalar_one())


@both_databases
def test_address_is_cleared_after_a_day(log: Log, turn: Turn):
    insert_turns(log, turn, [2.5 * DAY_SECONDS, 1.5 * DAY_SECONDS, 0.5 * DAY_SECONDS])

    clear_old_addresses(log.database)

    assert ages_with_address(log) == [0]


def test_addresses_are_cleared_in_short_transactions_and_oldest_first(log: Log, turn: Turn):
    batch = CLEARED_TURNS_PER_TRANSACTION
    insert_turns(log, turn, [DAY_SECONDS * (2 + number) for number in range(3 * batch)])
    counts = [count_with_address(log)]
    youngest = []

    class Pausing(Clock):
        def sleep(self, seconds: float) -> None:  # noqa: ARG002
            counts.append(count_with_address(log))
            youngest.extend(ages_with_address(log)[-1:])

    log.database.clock = Pausing()
    clear_old_addresses(log.database)

    assert [before - after for before, after in pairwise(counts) if before != after] == [batch] * 3
    assert set(youngest) == {2}


def test_running_portal_clears_addresses_repeatedly(log: Log, turn: Turn, turns: Turns):
    with closing(Deletions(log.database, turns, log)) as deletions:
        deletions.purge_interval_seconds = 0.01
        deletions.start()
        for _ in range(2):
            insert_turns(log, turn, [2 * DAY_SECONDS])
            wait_until(lambda: count_with_address(log) == 0)
