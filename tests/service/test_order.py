"""The order of the line: who comes when, whatever happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st

from service.conversations.queue_order import QueueEntry, next_in, standing_for, waiting


class Room:
    """A line and its places, as the database keeps them."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.guests: list[QueueEntry] = []
        self.admitted: list[int] = []
        self._arrivals = 0

    def come(self, owner: str) -> QueueEntry:
        self._arrivals += 1
        guest = QueueEntry(self._arrivals, owner, *standing_for(owner, self.guests), writing=False)
        self.guests.append(guest)
        self._admit()
        return guest

    def go(self, guest: QueueEntry) -> None:
        self.guests.remove(guest)
        self._admit()

    @property
    def writing(self) -> list[QueueEntry]:
        return [guest for guest in self.guests if guest.writing]

    def _admit(self) -> None:
        for guest in next_in(self.guests, self.places):
            self.guests[self.guests.index(guest)] = replace(guest, writing=True)
            self.admitted.append(guest.id)


def owners_served(room: Room, arrivals: str) -> str:
    """Let these owners come, one after the other, and return in which order they go in."""
    owners = {room.come(owner).id: owner for owner in arrivals}
    while room.writing:
        room.go(room.writing[0])
    return "".join(owners[id_] for id_ in room.admitted)


def test_one_owner_is_served_in_the_order_of_arrival():
    room = Room(1)
    owners_served(room, "aaaaa")

    assert room.admitted == [1, 2, 3, 4, 5]


def test_owners_who_come_once_are_served_in_the_order_of_arrival():
    assert owners_served(Room(1), "abcde") == "abcde"


def test_owners_take_turns():
    assert owners_served(Room(1), "aaaabbc") == "abcabaa"


def test_a_reply_that_is_being_written_counts_as_its_owners_turn():
    assert owners_served(Room(2), "aaaab") == "aabaa"


def test_nobody_waits_for_ever_while_others_come_again_and_again():
    room = Room(1)
    for owner in "aabc":
        room.come(owner)
    for _ in range(3):
        (served,) = room.writing
        room.go(served)
        room.come(served.owner)

    assert room.admitted == [1, 3, 4, 2]


def test_with_fewer_places_than_replies_nobody_goes_in():
    room = Room(3)
    for _ in range(5):
        room.come("a")

    assert next_in(room.guests, 2) == []


Events = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), max_size=60)


@given(places=st.integers(1, 3), events=Events)
def test_whoever_comes_to_an_empty_queue_of_their_own_is_passed_by_nobody(
    places: int, events: list[tuple[str, int]]
):
    for wait in waits(places, events):
        if not wait.before:
            assert not wait.passed_by


@given(places=st.integers(1, 3), events=Events)
def test_each_other_owner_passes_at_most_once_more_than_ones_own_replies_come_before(
    places: int, events: list[tuple[str, int]]
):
    for wait in waits(places, events):
        assert all(times <= wait.before + 1 for times in wait.passed_by.values())


@dataclass
class Wait:
    """What happened to a guest: how many of their owner's were before, and whom they let pass."""

    before: int
    passed_by: Counter[str] = field(default_factory=Counter)


def waits(places: int, events: list[tuple[str, int]]) -> list[Wait]:
    """Let owners come and replies end, and return what happened to each guest."""
    room = Room(places)
    found: dict[int, Wait] = {}
    owners: dict[int, str] = {}
    for owner, ending in events:
        before = sum(guest.owner == owner for guest in room.guests)
        admitted = len(room.admitted)
        come = room.come(owner)
        owners[come.id], found[come.id] = owner, Wait(before)
        for writing in room.writing[:ending]:
            room.go(writing)
        for id_ in room.admitted[admitted:]:
            for guest in waiting(room.guests):
                if guest.id < id_:
                    found[guest.id].passed_by[owners[id_]] += 1
    return list(found.values())
