"""Guests in the line before the model, each in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from service.conversations.queue import QueueAbandoned, ReplyQueue
from service.schema import queue_entries as table

WAIT_SECONDS = 10
STAY_SECONDS = 60

_moved = threading.Condition()


class Guest:
    """Somebody in the line."""

    def __init__(self, line: ReplyQueue, owner: str) -> None:
        self.told: list[int] = []
        self.inside = threading.Event()
        self.left = False
        self.gave_up = False
        self._done = threading.Event()
        self._stands = threading.Event()
        self._line, self._owner = line, owner
        self._thread = threading.Thread(target=self._come, daemon=True)
        self._thread.start()

    def _come(self) -> None:
        try:
            with self._line.slot(self._owner, self._hear, lambda: self.left):
                with _moved:
                    self.inside.set()
                    _moved.notify_all()
                self._stands.set()
                self._done.wait(STAY_SECONDS)
        except QueueAbandoned:
            self.gave_up = True

    def _hear(self, ahead: int) -> None:
        with _moved:
            self.told.append(ahead)
            _moved.notify_all()
        self._stands.set()

    def stands(self) -> bool:
        """Wait until they are in the line, or let in at once."""
        return self._stands.wait(WAIT_SECONDS)

    def hears(self, ahead: int) -> bool:
        """Wait until they are told that so many come before."""
        with _moved:
            return _moved.wait_for(lambda: self.told[-1:] == [ahead], WAIT_SECONDS)

    def comes_in(self) -> bool:
        """Wait until they are let in."""
        return self.inside.wait(WAIT_SECONDS)

    def go(self) -> None:
        """Give the place back."""
        self._done.set()
        self._thread.join(WAIT_SECONDS)

    def leave(self) -> None:
        """Leave, from wherever in the line they are."""
        self.left = True
        self.go()


NewLine = Callable[[int], ReplyQueue]
Come = Callable[[ReplyQueue, str], Guest]


@contextmanager
def coming() -> Iterator[Come]:
    """Let guests come, one after the other; in the end they all leave."""
    guests: list[Guest] = []

    def come(line: ReplyQueue, owner: str) -> Guest:
        guest = Guest(line, owner)
        guests.append(guest)
        assert guest.stands()
        return guest

    yield come
    for guest in guests:
        guest.leave()


def come_in(guests: Sequence[Guest], count: int) -> list[Guest]:
    """Wait until so many of the guests are inside, and return those who are."""
    with _moved:
        assert _moved.wait_for(lambda: len(_inside(guests)) >= count, WAIT_SECONDS)
    return _inside(guests)


def _inside(guests: Sequence[Guest]) -> list[Guest]:
    return [guest for guest in guests if guest.inside.is_set()]


def rows(line: ReplyQueue) -> int:
    """Return how many stand in the line, as the database knows it."""
    with line.slots.database.read() as connection:
        return len(connection.execute(table.select()).all())


def leases_run_out(line: ReplyQueue, *owners: str) -> None:
    """Let so much time pass that the leases of these owners' guests are over."""
    with line.slots.database.write() as connection:
        connection.execute(table.update().where(table.c.owner.in_(owners)).values(until=1))
