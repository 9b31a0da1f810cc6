"""Leases of the line: the dead are forgotten, and the living are not."""

from __future__ import annotations

import pytest

from tests.service.queued_requests import Enqueue, NewQueue, count_queue_rows, expire_leases
from tests.support.clock import AdjustableClock


def test_the_places_of_a_process_that_died_are_free_when_its_leases_are_over(
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


def test_a_process_that_ends_gives_its_places_back_at_once(new_queue: NewQueue, enqueue: Enqueue):
    here, ending = new_queue(1), new_queue(1)
    enqueue(ending, "alice")
    bob = enqueue(here, "bob")
    ending.close()

    assert bob.wait_for_slot()


def test_a_lease_that_is_renewed_is_not_over(new_queue: NewQueue, enqueue: Enqueue):
    here, there = new_queue(1), new_queue(1)
    enqueue(there, "alice")
    enqueue(there, "bob")
    expire_leases(here, "alice", "bob")
    there.slots.renew()

    assert enqueue(here, "carol").reported_positions == [1]


def test_the_living_who_were_taken_for_dead_are_put_back_where_they_were(
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


def test_a_process_does_not_take_its_own_replies_for_dead(new_queue: NewQueue, enqueue: Enqueue):
    line = new_queue(1)
    enqueue(line, "alice")
    expire_leases(line, "alice")

    assert enqueue(line, "bob").reported_positions == [0]


def test_a_reply_that_has_ended_is_not_put_back(new_queue: NewQueue, enqueue: Enqueue):
    line = new_queue(1)
    enqueue(line, "alice").release()
    line.slots.renew()

    assert count_queue_rows(line) == 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_machines_whose_clocks_differ_take_nobody_for_dead(
    new_queue: NewQueue, enqueue: Enqueue, clock: AdjustableClock
):
    here, there = new_queue(1), new_queue(1)
    enqueue(there, "alice")
    clock.jump_wall_clock(600)

    assert enqueue(here, "bob").reported_positions == [0]
