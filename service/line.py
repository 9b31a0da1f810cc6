"""A fair line before a model that writes only so many replies at once."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.5


class Left(Exception):
    """Raised to whoever does not want to wait any longer."""


class Line:
    """Let in `places` at once. Owners take turns, so that nobody waits for all of another's."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: OrderedDict[str, deque[object]] = OrderedDict()
        self._changed = threading.Condition()

    @contextmanager
    def place(
        self, owner: str, tell: Callable[[int], None], has_left: Callable[[], bool]
    ) -> Iterator[None]:
        """Wait for a place and hold it; `tell` is told how many come before, when that changes.

        Raises Left when `has_left` says so while waiting.
        """
        self._wait(owner, tell, has_left)
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _wait(self, owner: str, tell: Callable[[int], None], has_left: Callable[[], bool]) -> None:
        me = object()
        told: int | None = None
        with self._changed:
            self._waiting.setdefault(owner, deque()).append(me)
            while True:
                ahead = self._ahead(me)
                if ahead < self._free:
                    self._free -= 1
                    self._remove(owner, me, served=True)
                    return
                if has_left():
                    self._remove(owner, me, served=False)
                    raise Left
                if ahead != told:
                    told = ahead
                    tell(ahead)
                self._changed.wait(LOOK_SECONDS)

    def _ahead(self, me: object) -> int:
        """Count who comes before: the first of each owner, then the second of each, and so on."""
        before = 0
        queues = [list(queue) for queue in self._waiting.values()]
        for round_ in range(max(map(len, queues))):
            for queue in queues:
                if round_ < len(queue):
                    if queue[round_] is me:
                        return before
                    before += 1
        return before

    def _remove(self, owner: str, me: object, *, served: bool) -> None:
        queue = self._waiting[owner]
        queue.remove(me)
        if not queue:
            del self._waiting[owner]
        elif served:
            self._waiting.move_to_end(owner)
        self._changed.notify_all()
