"""The line before the model: so many at once, and owners take turns."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from service.line import Left, Line


class Guest:
    """Somebody in the line."""

    def __init__(self, line: Line, owner: str) -> None:
        self.told: list[int] = []
        self.inside = threading.Event()
        self.done = threading.Event()
        self.left = False
        self.gave_up = False
        self.stands = threading.Event()
        self._line, self._owner = line, owner
        self._thread = threading.Thread(target=self._come, daemon=True)
        self._thread.start()

    def _come(self) -> None:
        try:
            with self._line.place(self._owner, self._hear, lambda: self.left):
                self.stands.set()
                self.inside.set()
                self.done.wait(10)
        except Left:
            self.gave_up = True

    def _hear(self, ahead: int) -> None:
        self.told.append(ahead)
        self.stands.set()

    def go(self) -> None:
        self.done.set()
        self._thread.join(10)


@pytest.fixture
def guests() -> Iterator[list[Guest]]:
    guests: list[Guest] = []
    yield guests
    for guest in guests:
        guest.left = True
        guest.go()


def come(guests: list[Guest], line: Line, owner: str) -> Guest:
    guests.append(Guest(line, owner))
    assert guests[-1].stands.wait(10)
    return guests[-1]


def test_so_many_are_let_in_and_the_others_hear_their_place(guests: list[Guest]):
    line = Line(2)
    first, second, third, fourth = (come(guests, line, "alice") for _ in range(4))

    assert first.inside.is_set()
    assert second.inside.is_set()
    assert not third.inside.is_set()
    assert (third.told, fourth.told) == ([0], [1])
    first.go()
    assert third.inside.wait(10)
    assert not fourth.inside.is_set()


def test_owners_take_turns(guests: list[Guest]):
    line = Line(1)
    running = come(guests, line, "alice")
    waiting = [come(guests, line, "alice") for _ in range(3)]
    bob = come(guests, line, "bob")

    assert bob.told == [1]
    running.go()
    assert waiting[0].inside.wait(10)
    waiting[0].go()
    assert bob.inside.wait(10)
    assert not waiting[1].inside.is_set()


def test_whoever_leaves_lets_the_next_move_up(guests: list[Guest]):
    line = Line(1)
    running = come(guests, line, "alice")
    second = come(guests, line, "bob")
    third = come(guests, line, "carol")
    second.left = True
    second._thread.join(10)

    assert second.gave_up
    running.go()
    assert third.inside.wait(10)
