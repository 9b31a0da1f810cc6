"""Requests in the reply queue, each in its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from service.conversations.queue import QueueAbandoned, ReplyQueue
from service.schema import queue_entries as table

WAIT_SECONDS = 10
MAX_SLOT_SECONDS = 60

_changed = threading.Condition()


class QueuedRequest:
    """A request that waits in the reply queue or has a slot."""

    def __init__(self, reply_queue: ReplyQueue, owner: str) -> None:
        self.reported_positions: list[int] = []
        self.slot_acquired = threading.Event()
        self.should_abandon = False
        self.is_abandoned = False
        self._released = threading.Event()
        self._queued = threading.Event()
        self._reply_queue, self._owner = reply_queue, owner
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with self._reply_queue.slot(
                self._owner, self._record_position, lambda: self.should_abandon
            ):
                with _changed:
                    self.slot_acquired.set()
                    _changed.notify_all()
                self._queued.set()
                self._released.wait(MAX_SLOT_SECONDS)
        except QueueAbandoned:
            self.is_abandoned = True

    def _record_position(self, ahead: int) -> None:
        with _changed:
            self.reported_positions.append(ahead)
            _changed.notify_all()
        self._queued.set()

    def wait_until_queued(self) -> bool:
        """Wait until the request is in the queue, or has a slot at once."""
        return self._queued.wait(WAIT_SECONDS)

    def wait_for_position(self, ahead: int) -> bool:
        """Wait until the last reported position is `ahead` (the number of entries before it)."""
        with _changed:
            return _changed.wait_for(lambda: self.reported_positions[-1:] == [ahead], WAIT_SECONDS)

    def wait_for_slot(self) -> bool:
        """Wait until the request has a slot."""
        return self.slot_acquired.wait(WAIT_SECONDS)

    def release(self) -> None:
        """Release the slot and wait until the thread has ended."""
        self._released.set()
        self._thread.join(WAIT_SECONDS)

    def abandon(self) -> None:
        """Leave the queue at any position, or release the slot."""
        self.should_abandon = True
        self.release()


NewQueue = Callable[[int], ReplyQueue]
Enqueue = Callable[[ReplyQueue, str], QueuedRequest]


@contextmanager
def run_queued_requests() -> Iterator[Enqueue]:
    """Yield a function that enqueues a request, and abandon all requests at exit.

    The function returns when the request is queued or has a slot.
    """
    queued_requests: list[QueuedRequest] = []

    def enqueue(line: ReplyQueue, owner: str) -> QueuedRequest:
        guest = QueuedRequest(line, owner)
        queued_requests.append(guest)
        assert guest.wait_until_queued()
        return guest

    yield enqueue
    for guest in queued_requests:
        guest.abandon()


def wait_for_slots(queued_requests: Sequence[QueuedRequest], count: int) -> list[QueuedRequest]:
    """Wait until at least `count` of the requests have a slot, and return all that have one."""
    with _changed:
        assert _changed.wait_for(lambda: len(_with_slot(queued_requests)) >= count, WAIT_SECONDS)
    return _with_slot(queued_requests)


def _with_slot(queued_requests: Sequence[QueuedRequest]) -> list[QueuedRequest]:
    return [guest for guest in queued_requests if guest.slot_acquired.is_set()]


def count_queue_rows(reply_queue: ReplyQueue) -> int:
    """Return the number of entries in the database table of the queue."""
    with reply_queue.slots.database.read() as connection:
        return len(connection.execute(table.select()).all())


def expire_leases(reply_queue: ReplyQueue, *owners: str) -> None:
    """Let the leases of all queue entries of these owners expire."""
    with reply_queue.slots.database.write() as connection:
        connection.execute(table.update().where(table.c.owner.in_(owners)).values(until=1))
