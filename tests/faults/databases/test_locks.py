"""Locks in PostgreSQL that another connection holds."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import psycopg
import pytest

from tests.faults.conftest import MESSAGE
from tests.faults.databases.conftest import Outage, assert_sent_once, assert_unsent, on_postgres
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until

# PostgreSQL looks for a deadlock after this time, before the lock timeout of the portal.
DEADLOCK_TIMEOUT = "50ms"
LOCK_SECONDS = 1.5
PATIENCE_SECONDS = 4

pytestmark = [pytest.mark.fault("F75"), on_postgres]


@pytest.fixture
def other(database: Outage, settings: dict[str, Any]) -> Iterator[Any]:
    """Return another connection to PostgreSQL, which looks for a deadlock only after a minute."""
    address = settings["database_url"].replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(
            f"ALTER DATABASE {other.info.dbname} SET deadlock_timeout = '{DEADLOCK_TIMEOUT}'"
        )
        other.autocommit = False
        other.execute("SET deadlock_timeout = '1min'")
        yield other
        other.rollback()


@pytest.mark.parametrize("lock_timeout", [LOCK_SECONDS])
def test_deadlock_returns_the_message_to_the_composer(
    other: Any, alice: Person, upstream: Upstream
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    other.execute("SELECT 1 FROM counters FOR UPDATE")
    with ThreadPoolExecutor(1) as pool:
        pressed = pool.submit(alice.press, form, "Send", content=MESSAGE)
        wait_until(lambda: pressed.done() or waits_for_a_lock(other))
        other.execute("SELECT 1 FROM conversations FOR UPDATE")  # the portal has locked this row
        page = pressed.result(10)
        other.rollback()

    assert_unsent(page)
    assert upstream.sent_messages() == ["before"]
    assert_sent_once(alice, upstream, form)


def test_lock_that_is_not_released_returns_the_message_to_the_composer(
    other: Any, alice: Person, upstream: Upstream
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    other.execute("LOCK TABLE turns IN EXCLUSIVE MODE")
    with ThreadPoolExecutor(1) as pool:
        pressed = pool.submit(alice.press, form, "Send", content=MESSAGE)
        wait([pressed], PATIENCE_SECONDS)
        other.rollback()
        page = pressed.result()

    assert_unsent(page)
    assert upstream.sent_messages() == ["before"]
    assert_sent_once(alice, upstream, form)


def waits_for_a_lock(connection: Any) -> bool:
    query = "SELECT 1 FROM pg_locks WHERE NOT granted"
    return connection.execute(query).fetchone() is not None
