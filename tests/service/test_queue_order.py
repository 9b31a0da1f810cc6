"""The order of the reply queue, simulated without a database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st

from service.conversations.queue_order import QueueEntry, next_in, standing_for, waiting


class QueueModel:
    """In-memory model of the queue and its slots, as the database stores them."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.guests: list[QueueEntry] = []
        self.admitted: list[int] = []
        self._arrivals = 0

    def enqueue(self, owner: str) -> QueueEntry:
        self._arrivals += 1
        guest = QueueEntry(self._arrivals, owner, *standing_for(owner, self.guests), writing=False)
        self.guests.append(guest)
        self._admit()
        return guest

    def release(self, guest: QueueEntry) -> None:
        self.guests.remove(guest)
        self._admit()

    @property
    def writing(self) -> list[QueueEntry]:
        return [guest for guest in self.guests if guest.writing]

    def _admit(self) -> None:
        for guest in next_in(self.guests, self.places):
            self.guests[self.guests.index(guest)] = replace(guest, writing=True)
            self.admitted.append(guest.id)


def owners_served(room: QueueModel, arrivals: str) -> str:
    """Enqueue a request of each owner in turn, and return the owners in the order of admission."""
    owners = {room.enqueue(owner).id: owner for owner in arrivals}
    while room.writing:
        room.release(room.writing[0])
    return "".join(owners[id_] for id_ in room.admitted)


def test_requests_of_one_owner_are_served_in_order_of_arrival():
    room = QueueModel(1)
    owners_served(room, "aaaaa")

    assert room.admitted == [1, 2, 3, 4, 5]


def test_owners_with_one_request_each_are_served_in_order_of_arrival():
    assert owners_served(QueueModel(1), "abcde") == "abcde"


def test_queue_alternates_between_owners():
    assert owners_served(QueueModel(1), "aaaabbc") == "abcabaa"


def test_running_reply_counts_as_its_owners_turn():
    assert owners_served(QueueModel(2), "aaaab") == "aabaa"


def test_waiting_request_is_not_starved_by_returning_owners():
    room = QueueModel(1)
    for owner in "aabc":
        room.enqueue(owner)
    for _ in range(3):
        (served,) = room.writing
        room.release(served)
        room.enqueue(served.owner)

    assert room.admitted == [1, 3, 4, 2]


def test_no_request_is_admitted_while_more_replies_run_than_slots_exist():
    room = QueueModel(3)
    for _ in range(5):
        room.enqueue("a")

    assert next_in(room.guests, 2) == []


Events = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), max_size=60)


@given(places=st.integers(1, 3), events=Events)
def test_only_request_of_an_owner_is_never_overtaken(places: int, events: list[tuple[str, int]]):
    for wait in waits(places, events):
        if not wait.before:
            assert not wait.passed_by


@given(places=st.integers(1, 3), events=Events)
def test_overtaking_by_another_owner_is_limited_by_own_earlier_requests(
    places: int, events: list[tuple[str, int]]
):
    for wait in waits(places, events):
        assert all(times <= wait.before + 1 for times in wait.passed_by.values())


@dataclass
class Wait:
    """How a request waited: earlier entries of its owner, and how often each owner overtook it."""

    before: int
    passed_by: Counter[str] = field(default_factory=Counter)


def waits(places: int, events: list[tuple[str, int]]) -> list[Wait]:
    """Simulate arrivals and ended replies, and return how each request waited."""
    room = QueueModel(places)
    found: dict[int, Wait] = {}
    owners: dict[int, str] = {}
    for owner, ending in events:
        before = sum(guest.owner == owner for guest in room.guests)
        admitted = len(room.admitted)
        come = room.enqueue(owner)
        owners[come.id], found[come.id] = owner, Wait(before)
        for writing in room.writing[:ending]:
            room.release(writing)
        for id_ in room.admitted[admitted:]:
            for guest in waiting(room.guests):
                if guest.id < id_:
                    found[guest.id].passed_by[owners[id_]] += 1
    return list(found.values())
