"""Locks in PostgreSQL that another connection holds."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import psycopg
import pytest

from tests.faults.conftest import MESSAGE, message_text
from tests.faults.databases.conftest import (
    POSTGRESQL,
    Outage,
    composer_text,
    send_twice_after_recovery,
)
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream

# PostgreSQL looks for a deadlock after this time, before the lock timeout of the portal.
DEADLOCK_TIMEOUT = "50ms"
LOCK_SECONDS = 1.5
PATIENCE_SECONDS = 4


@pytest.fixture
def other(database_kind: str, database: Outage, settings: dict[str, Any]) -> Iterator[Any]:
    """Return another connection to PostgreSQL, which looks for a deadlock only after a minute."""
    assert database_kind == POSTGRESQL
    address = settings["database_url"].replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(
            f"ALTER DATABASE {other.info.dbname} SET deadlock_timeout = '{DEADLOCK_TIMEOUT}'"
        )
        other.autocommit = False
        other.execute("SET deadlock_timeout = '1min'")
        yield other
        other.rollback()


@pytest.mark.fault("F75")
@pytest.mark.parametrize("database_kind", [POSTGRESQL], indirect=True)
@pytest.mark.parametrize("lock_timeout", [LOCK_SECONDS])
def test_deadlock_returns_the_message_to_the_composer(
    other: Any, alice: Person, upstream: Upstream
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    other.execute("SELECT 1 FROM counters FOR UPDATE")
    with ThreadPoolExecutor(1) as pool:
        pressed = pool.submit(alice.press, form, "Send", content=MESSAGE)
        while not (pressed.done() or waits_for_a_lock(other)):
            pass
        other.execute("SELECT 1 FROM conversations FOR UPDATE")  # the portal has locked this row
        page = pressed.result(10)
        other.rollback()

    assert page.status == 503
    assert composer_text(page) == MESSAGE
    assert upstream.sent_messages() == ["before"]
    page = send_twice_after_recovery(alice, upstream, form)
    assert [message_text(turn) for turn in page.turns] == ["before", MESSAGE]
    assert upstream.sent_messages() == ["before", MESSAGE]


@pytest.mark.fault("F75")
@pytest.mark.parametrize("database_kind", [POSTGRESQL], indirect=True)
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

    assert page.status == 503
    assert composer_text(page) == MESSAGE
    assert upstream.sent_messages() == ["before"]
    page = send_twice_after_recovery(alice, upstream, form)
    assert [message_text(turn) for turn in page.turns] == ["before", MESSAGE]


def waits_for_a_lock(connection: Any) -> bool:
    connection.execute("SELECT pg_sleep(0.01)")
    query = "SELECT 1 FROM pg_locks WHERE NOT granted"
    return connection.execute(query).fetchone() is not None
