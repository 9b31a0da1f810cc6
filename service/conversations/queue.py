"""Fair queue before a model with a limited number of parallel replies, across processes."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from core.database import DatabaseUnavailable
from service.conversations.queue_order import IN, QueueEntry, Standings, standings
from service.conversations.slots import QueueSlots


class QueueAbandoned(Exception):
    """Raised when a reply is abandoned while it waits in the queue."""


class ReplyQueue:
    """Limit the number of parallel replies. One poll of the database serves all waiting threads."""

    poll_seconds = 0.25

    def __init__(self, slots: QueueSlots) -> None:
        self.slots = slots
        self._clock = slots.database.clock
        self._guests: Standings = {}
        self._looking = False
        self._look_at = -math.inf
        self._changed = threading.Condition()

    @contextmanager
    def slot(
        self, owner: str, on_position: Callable[[int], None], is_abandoned: Callable[[], bool]
    ) -> Iterator[None]:
        """Wait for a slot and hold it inside the context.

        Calls `on_position` with the number of replies ahead whenever it changes. Raises
        QueueAbandoned when `is_abandoned()` becomes true while waiting.
        """
        me, guests = self._enter(owner, is_abandoned)
        try:
            self._wait(me, guests, on_position, is_abandoned)
            yield
        finally:
            self._leave(me)

    def close(self) -> None:
        """Release the slots and entries of this process at once, because it is about to exit."""
        with suppress(DatabaseUnavailable):
            self.slots.leave_all()
        self._look_soon()

    def _enter(self, owner: str, has_left: Callable[[], bool]) -> tuple[QueueEntry, Standings]:
        while not has_left():
            with suppress(DatabaseUnavailable):
                me, guests = self.slots.enter(owner)
                return me, standings(guests)
            with self._changed:
                self._changed.wait(self.poll_seconds)
        raise QueueAbandoned

    def _wait(
        self,
        me: QueueEntry,
        guests: Standings,
        tell: Callable[[int], None],
        has_left: Callable[[], bool],
    ) -> None:
        told: int | None = None
        while not has_left():
            # None if the lease expired during an outage; the next renewal restores the entry.
            ahead = guests.get(me.id)
            if ahead == IN:
                self.slots.take(me)
                return
            if ahead is not None and ahead != told:
                told = ahead
                tell(ahead)
            guests = self._look(guests)
        raise QueueAbandoned

    def _look(self, seen: Standings) -> Standings:
        """Return the standings once they differ from `seen`, or after `poll_seconds`.

        One thread polls the database; the others wait for its result.
        """
        with self._changed:
            if self._guests is not seen:
                return self._guests
            pause = self.poll_seconds if self._looking else self._look_at - self._clock.monotonic()
            if pause > 0:
                self._changed.wait(pause)
                return self._guests
            self._looking = True
            self._look_at = self._clock.monotonic() + self.poll_seconds
        try:
            with suppress(DatabaseUnavailable):
                self._guests = standings(self.slots.look())
        finally:
            with self._changed:
                self._looking = False
                self._changed.notify_all()
        return self._guests

    def _leave(self, me: QueueEntry) -> None:
        # If the database is unavailable, the lease of the entry expires instead.
        with suppress(DatabaseUnavailable):
            self.slots.leave(me)
        self._look_soon()

    def _look_soon(self) -> None:
        with self._changed:
            self._look_at = -math.inf
            self._changed.notify_all()
