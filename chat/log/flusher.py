"""Background writer that stores the entries of all turns, in one transaction per slice."""

from __future__ import annotations

import logging
import threading

from chat.log import store
from chat.log.heartbeat import HEARTBEAT_SECONDS, Heartbeat
from chat.log.local_buffers import LocalBuffers
from chat.log.notifier import Notifier
from core.database import Database, DatabaseUnavailable

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.05
RETRY_SECONDS = 0.2
CLOSE_TIMEOUT_SECONDS = 2.0


class Flusher:
    """Background thread that stores the log buffers of this process."""

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        heartbeat: Heartbeat,
        buffers: LocalBuffers,
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
        """Wake the thread, which the first call starts, because there are entries to store."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._flush_until_closed, daemon=True, name="flusher"
            )
            self._thread.start()
        self._wakeup.set()

    def close(self) -> None:
        """Stop the thread."""
        self._closing.set()
        self._wakeup.set()
        if self._thread:
            self._thread.join(CLOSE_TIMEOUT_SECONDS)

    def flush(self, slice_seconds: float = 0.0) -> None:
        """Store all appended entries, and close the buffers of turns that another process ended.

        Pending entries younger than `slice_seconds` are left for the next flush. Raises
        DatabaseUnavailable.
        """
        with self._flush_lock:
            unflushed = {
                turn_id: buffer.unflushed(slice_seconds)
                for turn_id, buffer in self._buffers.snapshot().items()
            }
            if not unflushed:
                return
            with self.database.write() as connection:
                store.lock(connection, list(unflushed))
                ends = store.read_ends(connection, list(unflushed))
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
            self._buffers.end(turn_id, ended)

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
                # Catch everything: without this thread, no reply would be stored.
                if not is_failing:
                    unexpected_error = None if isinstance(error, DatabaseUnavailable) else error
                    logger.exception("Could not write the log.", exc_info=unexpected_error)
                is_failing = True
                self._closing.wait(RETRY_SECONDS)
            # Entries that were not stored are still buffered: flush again.
            if is_failing or any(
                buffer.has_pending for buffer in self._buffers.snapshot().values()
            ):
                self._wakeup.set()
