"""Accounts on each kind of database, with fast password hashes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.clock import AdjustableClock
from tests.support.passwords import FAST_HASHER, PASSWORD
from twindow.accounts import Accounts, Person
from twindow.chat.schema import counters
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database


@pytest.fixture
def accounts(database_url: str, clock: AdjustableClock) -> Iterator[Accounts]:
    """Return accounts with small limits."""
    database = Database(database_url, clock=clock)
    accounts = Accounts(
        database,
        Counters(counters),
        "secret" * 6,
        idle_seconds=1_000,
        max_seconds=10_000,
    )
    accounts.attempt_limits.account_limit, accounts.attempt_limits.address_limit = 3, 5
    accounts.passwords.hasher = FAST_HASHER
    yield accounts
    database.close()


@pytest.fixture
def anna(accounts: Accounts) -> Person:
    """Return a person with a password."""
    person = accounts.people.add("Anna")
    accounts.use_link(accounts.create_link(person), PASSWORD, "Firefox")
    return person
