"""Queue before a model with a limited number of parallel replies, within one process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class QueueAbandoned(Exception):
    """Raised when a reply is abandoned while it waits in the queue."""


class ReplyQueue:
    """First-in, first-out queue for `slot_count` slots (or `math.inf`), one for each reply."""

    # Interval between checks whether a waiting reply was abandoned.
    poll_seconds = 0.25

    def __init__(self, slot_count: float) -> None:
        self._free_slots = slot_count
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def slot(
        self, on_position: Callable[[int], None], is_abandoned: Callable[[], bool]
    ) -> Iterator[None]:
        """Wait for a slot and hold it inside the context.

        Calls `on_position` with the number of waiting replies ahead whenever it changes. Raises
        QueueAbandoned when `is_abandoned()` becomes true while waiting.
        """
        self._acquire(on_position, is_abandoned)
        try:
            yield
        finally:
            with self._changed:
                self._free_slots += 1
                self._changed.notify_all()

    def _acquire(
        self, on_position: Callable[[int], None], is_abandoned: Callable[[], bool]
    ) -> None:
        ticket = object()
        reported_position: int | None = None
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not is_abandoned():
                    position = self._waiting.index(ticket)
                    if position < self._free_slots:
                        self._free_slots -= 1
                        return
                    if position != reported_position:
                        reported_position = position
                        on_position(position)
                    self._changed.wait(self.poll_seconds)
                raise QueueAbandoned
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
