"""The line while the database is away: whoever waits goes on waiting, whoever writes writes on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from core.database import DatabaseUnavailable
from service.conversations.queue import ReplyQueue
from tests.faults.databases.conftest import Database, Locked, Stopped
from tests.service.guests import Come, Guest, NewLine, leases_run_out
from tests.support.waiting import wait_until


@pytest.fixture
def lock_timeout() -> float:
    return 0.05


@pytest.fixture
def outage(database_url: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """Return the database, to take it away."""
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite":
        outage: Database = Locked(Path(str(url.database)))
    else:
        outage = Stopped(request.getfixturevalue("postgres"))
    yield outage
    outage.come_back()


def wait_until_seen(line: ReplyQueue) -> None:
    wait_until(lambda: line.slots.database.last_failure_at != -math.inf)


def test_an_outage_loses_nobody(new_line: NewLine, outage: Database, come: Come):
    here, there = new_line(1), new_line(1)
    alice, bob = come(here, "alice"), come(there, "bob")
    outage.go()
    carol = Guest(there, "carol")
    wait_until_seen(there)

    assert not bob.inside.is_set()
    outage.come_back()
    assert carol.stands()
    alice.go()
    assert bob.comes_in()
    assert not carol.inside.is_set()
    bob.go()
    assert carol.comes_in()
    carol.go()


def test_whoever_comes_and_leaves_during_an_outage_does_both(
    new_line: NewLine, outage: Database, come: Come
):
    line = new_line(1)
    alice = come(line, "alice")
    outage.go()
    bob = Guest(line, "bob")
    wait_until_seen(line)
    bob.leave()
    alice.go()

    assert bob.gave_up
    outage.come_back()
    leases_run_out(line, "alice")
    line.slots.database.last_failure_at = -math.inf
    assert come(line, "carol").comes_in()


def test_nobody_is_taken_for_dead_who_could_not_renew_a_lease(new_line: NewLine, come: Come):
    here, there = new_line(1), new_line(1)
    come(there, "alice")
    leases_run_out(there, "alice")
    with pytest.raises(DatabaseUnavailable), here.slots.database.read():
        raise DatabaseUnavailable

    assert come(here, "bob").told == [0]
    there.slots.renew()
    here.slots.database.last_failure_at = -math.inf
    assert {guest.owner for guest in here.slots.look() if guest.writing} == {"alice"}
