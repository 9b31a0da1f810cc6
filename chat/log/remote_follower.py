"""Logs that other processes write, as this process sees them: read once for all its readers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

from chat.log import store
from chat.log.buffer import Live
from chat.log.notifier import Bell
from chat.log.store import Numbered
from core.database import Database, DatabaseUnavailable

logger = logging.getLogger(__name__)

LIFE_SECONDS = 1.0
CLOSE_SECONDS = 2.0
MAX_IN_A_QUERY = 200


class Elsewhere:
    """Mirror the logs that somebody here follows.

    `end_orphans` ends those of them whose producers are gone.
    """

    retry_seconds = 1.0

    def __init__(
        self, database: Database, bell: Bell, end_orphans: Callable[[Iterable[str]], object]
    ) -> None:
        self.database = database
        self._clock = database.clock
        self.bell = bell
        self._end_orphans = end_orphans
        self._mirrors: dict[str, tuple[Live, int]] = {}
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._looked_for_life_at = 0.0
        self._closing = False

    @contextmanager
    def following(self, turn_id: str) -> Iterator[Live]:
        """Hold a mirror of the log for as long as the block runs."""
        with self._lock:
            live, readers = self._mirrors.get(turn_id, (Live(self._clock), 0))
            self._mirrors[turn_id] = live, readers + 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._look_until_closed, daemon=True, name="elsewhere"
                )
                self._thread.start()
        self._wanted.set()
        try:
            if not readers:
                with suppress(DatabaseUnavailable):  # the thread looks again
                    self._look([turn_id])
            yield live
        finally:
            with self._lock:
                _, readers = self._mirrors[turn_id]
                if readers > 1:
                    self._mirrors[turn_id] = live, readers - 1
                else:
                    del self._mirrors[turn_id]

    def close(self) -> None:
        """Let all readers go, and look no more."""
        self._closing = True
        self._wanted.set()
        for live, _ in list(self._mirrors.values()):
            live.let_go()
        if self._thread:
            self._thread.join(CLOSE_SECONDS)

    def _look_until_closed(self) -> None:
        while not self._closing:
            if not self._mirrors:
                self.bell.rest()
                self._wanted.clear()
            if not (self._mirrors or self._closing):
                self._wanted.wait()
            try:
                self.bell.wait()
                self._look(list(self._mirrors))
                self._look_for_life()
            except DatabaseUnavailable:
                self._clock.sleep(self.retry_seconds)
            except Exception:
                # Without this thread readers would wait for ever.
                logger.exception("The logs of other processes cannot be read at the moment.")
                self._clock.sleep(self.retry_seconds)
        self.bell.rest()

    def _look(self, turn_ids: Sequence[str]) -> None:
        ids = iter(turn_ids)
        while part := list(islice(ids, MAX_IN_A_QUERY)):
            cursors = {
                id_: held[0].last
                for id_ in part
                if (held := self._mirrors.get(id_)) and held[0].running
            }
            if not cursors:
                continue
            with self.database.read() as connection:
                self._take(store.read_on(connection, cursors))

    def _take(self, found: Mapping[str, Sequence[Numbered]]) -> None:
        for turn_id, rows in found.items():
            if held := self._mirrors.get(turn_id):
                held[0].mirror(rows)

    def _look_for_life(self) -> None:
        if self._clock.monotonic() - self._looked_for_life_at < LIFE_SECONDS:
            return
        self._looked_for_life_at = self._clock.monotonic()
        self._end_orphans([id_ for id_, (live, _) in list(self._mirrors.items()) if live.running])
