"""The one writer of a process: stores what came for all turns, in one transaction a slice."""

from __future__ import annotations

import logging
import threading

from chat.log import store
from chat.log.buffer import LogBuffer
from chat.log.heartbeat import HEARTBEAT_SECONDS, Heartbeat
from chat.log.notifier import Notifier
from core.database import Database, DatabaseUnavailable

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.05
RETRY_SECONDS = 0.2
CLOSE_TIMEOUT_SECONDS = 2.0


class Flusher:
    """Write `live`, the logs that this process holds by the ids of their turns."""

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        heartbeat: Heartbeat,
        buffers: dict[str, LogBuffer],
    ) -> None:
        self.database = database
        self.notifier = notifier
        self.heartbeat = heartbeat
        self._buffers = buffers
        self._wakeup = threading.Event()
        self._flush_lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Say that there is something to write."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._flush_until_closed, daemon=True, name="log"
            )
            self._thread.start()
        self._wakeup.set()

    def close(self) -> None:
        """Write no more."""
        self._closing.set()
        self._wakeup.set()
        if self._thread:
            self._thread.join(CLOSE_TIMEOUT_SECONDS)

    def flush(self, slice_seconds: float = 0.0) -> None:
        """Store what has been appended so far, and notice who was ended elsewhere.

        Deltas younger than a slice are left for the next time.
        """
        with self._flush_lock:
            unflushed = {
                turn_id: buffer.unflushed(slice_seconds)
                for turn_id, buffer in list(self._buffers.items())
            }
            if not unflushed:
                return
            with self.database.write() as connection:
                store.lock(connection, list(unflushed))
                ends = store.select_ends(connection, list(unflushed))
                new_entries = {
                    turn_id: rows for turn_id, rows in unflushed.items() if turn_id not in ends
                }
                if store.add(connection, new_entries):
                    self.notifier.notify(connection)
                if self.heartbeat.is_due:
                    self.heartbeat.record_heartbeat(connection)
        for turn_id, rows in unflushed.items():
            if buffer := self._buffers.get(turn_id):
                buffer.mark_flushed(rows)
        for turn_id, ended in ends.items():
            if buffer := self._buffers.pop(turn_id, None):
                buffer.close(ended)

    def _flush_until_closed(self) -> None:
        is_failing = False
        while not self._closing.is_set():
            if not self._buffers:
                self._wakeup.clear()
            self._wakeup.wait(
                HEARTBEAT_SECONDS / 4 if self._buffers or self._closing.is_set() else None
            )
            self._closing.wait(SLICE_SECONDS)
            self._wakeup.clear()
            try:
                self.flush(SLICE_SECONDS)
                is_failing = False
            except Exception as error:
                # Whatever it is: without this thread no reply is stored any more.
                if not is_failing:
                    unexpected_error = None if isinstance(error, DatabaseUnavailable) else error
                    logger.exception(
                        "The log cannot be written at the moment.", exc_info=unexpected_error
                    )
                is_failing = True
                self._closing.wait(RETRY_SECONDS)
            # What was not stored is still held, and tried again.
            if is_failing or any(buffer.has_pending for buffer in list(self._buffers.values())):
                self._wakeup.set()
