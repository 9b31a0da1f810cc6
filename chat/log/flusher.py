"""The one writer of a process: stores what came for all turns, in one transaction a slice."""

from __future__ import annotations

import logging
import threading

from chat.log import store
from chat.log.buffer import Live
from chat.log.heartbeat import BEAT_SECONDS, Heartbeat
from chat.log.notifier import Bell
from core.database import Database, DatabaseUnavailable

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.05
RETRY_SECONDS = 0.2
CLOSE_SECONDS = 2.0


class Writer:
    """Write `live`, the logs that this process holds by the ids of their turns."""

    def __init__(
        self, database: Database, bell: Bell, heartbeat: Heartbeat, live: dict[str, Live]
    ) -> None:
        self.database = database
        self.bell = bell
        self.heartbeat = heartbeat
        self._live = live
        self._work = threading.Event()
        self._flushing = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Say that there is something to write."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._write_until_closed, daemon=True, name="log"
            )
            self._thread.start()
        self._work.set()

    def close(self) -> None:
        """Write no more."""
        self._closing.set()
        self._work.set()
        if self._thread:
            self._thread.join(CLOSE_SECONDS)

    def flush(self, slice_seconds: float = 0.0) -> None:
        """Store what has been appended so far, and notice who was ended elsewhere.

        Deltas younger than a slice are left for the next time.
        """
        with self._flushing:
            taken = {
                turn_id: live.take(slice_seconds) for turn_id, live in list(self._live.items())
            }
            if not taken:
                return
            with self.database.write() as connection:
                store.lock(connection, list(taken))
                over = store.ends(connection, list(taken))
                new = {turn_id: rows for turn_id, rows in taken.items() if turn_id not in over}
                if store.add(connection, new):
                    self.bell.ring(connection)
                if self.heartbeat.due:
                    self.heartbeat.beat(connection)
        for turn_id, rows in taken.items():
            if live := self._live.get(turn_id):
                live.stored(rows)
        for turn_id, ended in over.items():
            if live := self._live.pop(turn_id, None):
                live.close(ended)

    def _write_until_closed(self) -> None:
        fails = False
        while not self._closing.is_set():
            if not self._live:
                self._work.clear()
            self._work.wait(BEAT_SECONDS / 4 if self._live or self._closing.is_set() else None)
            self._closing.wait(SLICE_SECONDS)
            self._work.clear()
            try:
                self.flush(SLICE_SECONDS)
                fails = False
            except Exception as error:
                # Whatever it is: without this thread no reply is stored any more.
                if not fails:
                    bug = None if isinstance(error, DatabaseUnavailable) else error
                    logger.exception("The log cannot be written at the moment.", exc_info=bug)
                fails = True
                self._closing.wait(RETRY_SECONDS)
            # What was not stored is still held, and tried again.
            if fails or any(live.holding for live in list(self._live.values())):
                self._work.set()
