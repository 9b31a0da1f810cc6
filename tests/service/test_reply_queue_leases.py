"""Leases of queue entries: those of dead processes are removed, those of living ones are kept."""

from __future__ import annotations

import pytest

from tests.service.queued_requests import Enqueue, NewQueue, count_queue_rows, expire_leases
from tests.support.clock import AdjustableClock


def test_slots_of_a_dead_process_are_freed_when_its_leases_expire(
    new_queue: NewQueue, enqueue: Enqueue
):
    here, dead = new_queue(1), new_queue(1)
    enqueue(dead, "alice")
    enqueue(dead, "bob")
    carol = enqueue(here, "carol")
    assert carol.reported_positions == [1]

    expire_leases(dead, "alice", "bob")

    assert carol.wait_for_slot()
    assert count_queue_rows(here) == 1


def test_process_releases_its_slots_at_shutdown(new_queue: NewQueue, enqueue: Enqueue):
    here, ending = new_queue(1), new_queue(1)
    enqueue(ending, "alice")
    bob = enqueue(here, "bob")
    ending.close()

    assert bob.wait_for_slot()


def test_renewed_lease_does_not_expire(new_queue: NewQueue, enqueue: Enqueue):
    here, there = new_queue(1), new_queue(1)
    enqueue(there, "alice")
    enqueue(there, "bob")
    expire_leases(here, "alice", "bob")
    there.slots.renew()

    assert enqueue(here, "carol").reported_positions == [1]


def test_removed_entries_of_a_living_process_regain_their_positions(
    new_queue: NewQueue, enqueue: Enqueue
):
    here, there = new_queue(1), new_queue(1)
    alice, bob = enqueue(there, "alice"), enqueue(there, "bob")
    expire_leases(there, "alice", "bob")
    carol = enqueue(here, "carol")
    assert carol.wait_for_slot()

    there.slots.renew()

    dave = enqueue(here, "dave")
    assert dave.reported_positions == [1]
    carol.release()
    alice.release()
    assert bob.wait_for_slot()
    assert not dave.slot_acquired.is_set()


def test_process_does_not_remove_its_own_expired_entries(new_queue: NewQueue, enqueue: Enqueue):
    line = new_queue(1)
    enqueue(line, "alice")
    expire_leases(line, "alice")

    assert enqueue(line, "bob").reported_positions == [0]


def test_released_entry_is_not_restored_by_a_renewal(new_queue: NewQueue, enqueue: Enqueue):
    line = new_queue(1)
    enqueue(line, "alice").release()
    line.slots.renew()

    assert count_queue_rows(line) == 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_clock_differences_between_machines_expire_no_leases(
    new_queue: NewQueue, enqueue: Enqueue, clock: AdjustableClock
):
    here, there = new_queue(1), new_queue(1)
    enqueue(there, "alice")
    clock.jump_wall_clock(600)

    assert enqueue(here, "bob").reported_positions == [0]
