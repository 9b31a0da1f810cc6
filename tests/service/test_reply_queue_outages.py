"""The reply queue in a database outage: waiting requests keep waiting, running replies continue."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from core.database import DatabaseUnavailable
from service.conversations.queue import ReplyQueue
from tests.faults.databases.conftest import LockableSqlite, Outage, StoppablePostgres
from tests.service.queued_requests import Enqueue, NewQueue, QueuedRequest, expire_leases
from tests.support.waiting import wait_until


@pytest.fixture
def lock_timeout() -> float:
    return 0.05


@pytest.fixture
def outage(database_url: str, request: pytest.FixtureRequest) -> Iterator[Outage]:
    """Return the database as an outage that can be started and ended."""
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite":
        outage: Outage = LockableSqlite(Path(str(url.database)))
    else:
        outage = StoppablePostgres(request.getfixturevalue("postgres"))
    yield outage
    outage.restore()


def wait_until_seen(line: ReplyQueue) -> None:
    wait_until(lambda: line.slots.database.last_failure_at != -math.inf)


def test_queue_keeps_every_request_through_an_outage(
    new_queue: NewQueue, outage: Outage, enqueue: Enqueue
):
    here, there = new_queue(1), new_queue(1)
    alice, bob = enqueue(here, "alice"), enqueue(there, "bob")
    outage.take_down()
    carol = QueuedRequest(there, "carol")
    wait_until_seen(there)

    assert not bob.slot_acquired.is_set()
    outage.restore()
    assert carol.wait_until_queued()
    alice.release()
    assert bob.wait_for_slot()
    assert not carol.slot_acquired.is_set()
    bob.release()
    assert carol.wait_for_slot()
    carol.release()


def test_request_can_join_and_leave_the_queue_during_an_outage(
    new_queue: NewQueue, outage: Outage, enqueue: Enqueue
):
    line = new_queue(1)
    alice = enqueue(line, "alice")
    outage.take_down()
    bob = QueuedRequest(line, "bob")
    wait_until_seen(line)
    bob.abandon()
    alice.release()

    assert bob.is_abandoned
    outage.restore()
    expire_leases(line, "alice")
    line.slots.database.last_failure_at = -math.inf
    assert enqueue(line, "carol").wait_for_slot()


def test_lease_that_could_not_be_renewed_in_an_outage_is_kept(
    new_queue: NewQueue, enqueue: Enqueue
):
    here, there = new_queue(1), new_queue(1)
    enqueue(there, "alice")
    expire_leases(there, "alice")
    with pytest.raises(DatabaseUnavailable), here.slots.database.read():
        raise DatabaseUnavailable

    assert enqueue(here, "bob").reported_positions == [0]
    there.slots.renew()
    here.slots.database.last_failure_at = -math.inf
    assert {guest.owner for guest in here.slots.look() if guest.writing} == {"alice"}
