"""The reply queue over two processes: a limited number of slots, and owners take turns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, event

from service.conversations.queue import QueueAbandoned
from tests.service.queued_requests import (
    Enqueue,
    NewQueue,
    count_queue_rows,
    run_queued_requests,
    wait_for_slots,
)


def test_queue_fills_its_slots_and_reports_positions_to_the_others(
    new_queue: NewQueue, enqueue: Enqueue
):
    here, there = new_queue(2), new_queue(2)
    first, second = enqueue(here, "alice"), enqueue(there, "alice")
    third, fourth = enqueue(here, "alice"), enqueue(there, "alice")

    assert first.slot_acquired.is_set()
    assert second.slot_acquired.is_set()
    assert (third.reported_positions, fourth.reported_positions) == ([0], [1])
    first.release()
    assert third.wait_for_slot()
    assert fourth.wait_for_position(0)
    assert not fourth.slot_acquired.is_set()
    second.release()
    assert fourth.wait_for_slot()


def test_queue_uses_all_slots_and_never_exceeds_them(new_queue: NewQueue, enqueue: Enqueue):
    places = 3
    lines = [new_queue(places), new_queue(places)]
    with ThreadPoolExecutor(12) as pool:
        guests = list(pool.map(lambda n: enqueue(lines[n % 2], f"owner {n % 5}"), range(12)))

    while guests:
        inside = wait_for_slots(guests, min(places, len(guests)))
        assert len(inside) <= places
        inside[0].release()
        guests.remove(inside[0])
    assert count_queue_rows(lines[0]) == 0


def test_queue_alternates_between_owners(new_queue: NewQueue, enqueue: Enqueue):
    here, there = new_queue(1), new_queue(1)
    running = enqueue(here, "alice")
    waiting = [enqueue(here, "alice") for _ in range(3)]
    bob = enqueue(there, "bob")

    assert bob.reported_positions == [0]
    running.release()
    assert bob.wait_for_slot()
    bob.release()
    assert waiting[0].wait_for_slot()
    assert not waiting[1].slot_acquired.is_set()


def test_request_is_not_starved_by_constant_load_from_another_process(
    new_queue: NewQueue, enqueue: Enqueue
):
    here, there = new_queue(1), new_queue(1)
    running = enqueue(here, "alice")
    alice = enqueue(here, "alice")
    others = [enqueue(there, "bob"), enqueue(there, "carol")]
    running.release()
    for owner in ("bob", "carol"):
        served = others.pop(0)
        assert served.wait_for_slot()
        served.release()
        others.append(enqueue(there, owner))

    assert alice.wait_for_slot()
    assert not any(other.slot_acquired.is_set() for other in others)


def test_abandoned_request_is_removed_and_the_next_moves_up(new_queue: NewQueue, enqueue: Enqueue):
    here, there = new_queue(1), new_queue(1)
    running = enqueue(here, "alice")
    second, third = enqueue(there, "bob"), enqueue(here, "carol")
    second.abandon()

    assert second.is_abandoned
    assert count_queue_rows(here) == 2
    assert third.wait_for_position(0)
    running.release()
    assert third.wait_for_slot()


def test_slot_is_released_after_an_exception(new_queue: NewQueue, enqueue: Enqueue):
    line = new_queue(1)
    with pytest.raises(ZeroDivisionError), line.slot("alice", lambda _: None, lambda: False):
        raise ZeroDivisionError

    assert count_queue_rows(line) == 0


def test_request_abandoned_before_queueing_gets_no_slot(new_queue: NewQueue):
    line = new_queue(1)
    with pytest.raises(QueueAbandoned), line.slot("alice", lambda _: None, lambda: True):
        pass

    assert count_queue_rows(line) == 0


def test_waiting_requests_of_a_process_share_one_database_poll(
    new_queue: NewQueue, enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
):
    line = new_queue(1)
    line.poll_seconds = 60
    looks: list[int] = []
    look = line.slots.look

    def counted():
        looks.append(1)
        return look()

    monkeypatch.setattr(line.slots, "look", counted)
    running = enqueue(line, "alice")
    waiting = [enqueue(line, "alice") for _ in range(20)]
    assert len(looks) <= 1
    running.release()

    assert waiting[0].wait_for_slot()
    assert len(looks) <= 2
    waiting[0].release()


def test_free_slot_costs_two_transactions(new_queue: NewQueue):
    line = new_queue(1)
    begun: list[int] = []
    event.listen(line.slots.database.engine, "begin", lambda _: begun.append(1))
    with line.slot("alice", lambda _: None, lambda: False):
        pass

    assert len(begun) == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_queue_changes_of_several_processes_are_serialized(new_queue: NewQueue):
    here, there = new_queue(1), new_queue(1)
    with run_queued_requests() as come, ThreadPoolExecutor(1) as pool:
        with here.slots._alone() as connection:
            alice = pool.submit(come, there, "alice")
            while not (alice.done() or waits_for_a_lock(connection)):
                pass
            assert not alice.done()
        assert alice.result(10).wait_for_slot()


def waits_for_a_lock(connection: Connection) -> bool:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    return bool(connection.exec_driver_sql(query).scalar_one())
