"""Background writer that stores the entries of all turns, in one transaction per slice."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from twindow.chat.log import store
from twindow.chat.log.buffers import LocalBuffers
from twindow.chat.log.entries import Ended
from twindow.chat.log.heartbeat import HEARTBEAT_SECONDS, Heartbeat
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.05
RETRY_SECONDS = 0.2
# Other work of the process runs between two flushes.
MIN_PAUSE_SECONDS = 0.01
CLOSE_TIMEOUT_SECONDS = 2.0


class Flusher:
    """Background thread that stores the log buffers of this process.

    `end_turn` ends a turn in the database; it raises DatabaseUnavailable.
    """

    def __init__(
        self,
        database: Database,
        heartbeat: Heartbeat,
        buffers: LocalBuffers,
        end_turn: Callable[[str, Ended], object],
    ) -> None:
        self.database = database
        self.heartbeat = heartbeat
        self._buffers = buffers
        self._end_turn = end_turn
        self._wakeup = threading.Event()
        self._flush_lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Wake the thread to store new entries. The first call starts the thread."""
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
        """Record a heartbeat if it is due, and store all appended entries.

        Entries stay in the buffer until their slice of `slice_seconds` is over; then the readers in
        this process get them, too. Entries of turns that another transaction has locked wait for
        the next flush. If another process has ended a turn (*Stop*), this method ends its buffer.
        Buffers of deleted turns are dropped. Raises DatabaseUnavailable.
        """
        with self._flush_lock:
            if self._buffers:
                self.heartbeat.record_if_due(reserved=True)
            unflushed = {
                turn_id: buffer.unflushed(slice_seconds)
                for turn_id, buffer in self._buffers.snapshot().items()
            }
            if not unflushed:
                return
            new_entries = {turn_id: entries for turn_id, entries in unflushed.items() if entries}
            # A flush without entries only looks for ends of other processes, and locks nothing.
            transaction = (
                self.database.write(reserved=True)
                if new_entries
                else self.database.read(reserved=True)
            )
            with transaction as connection:
                worker_id = self.heartbeat.worker_id
                running_ids = store.select_running(connection, worker_id, lock=bool(new_entries))
                others = list(unflushed.keys() - running_ids)
                ends = store.read_ends(connection, others) if others else {}
                # Ignore turns without entries: perhaps their rows are not committed yet.
                unknown_ids = new_entries.keys() - running_ids - ends.keys()
                missing_ids = unknown_ids - store.select_existing(connection, unknown_ids)
                stored = {id_: new_entries[id_] for id_ in new_entries.keys() & running_ids}
                if stored:
                    store.add(connection, stored)
        for turn_id, entries in stored.items():
            if buffer := self._buffers.get(turn_id):
                buffer.mark_flushed(entries)
        for turn_id, ended in ends.items():
            self._buffers.end(turn_id, ended)
        for turn_id in missing_ids:
            logger.error("turn %s: its row does not exist any more", turn_id)
            self._buffers.drop(turn_id)

    def _store_ends(self) -> None:
        """Store ends in `unstored_ends` for a slice; then the text of running replies follows.

        An end that cannot be stored moves to the back of the queue.
        """
        unstored_ends = self._buffers.unstored_ends
        monotonic = self.database.clock.monotonic
        deadline = monotonic() + SLICE_SECONDS
        for turn_id, ended in list(unstored_ends.items()):
            if monotonic() > deadline:
                return
            try:
                self._end_turn(turn_id, ended)
            except Exception:
                unstored_ends[turn_id] = unstored_ends.pop(turn_id)
                raise
            del unstored_ends[turn_id]

    def _flush_until_closed(self) -> None:
        is_failing = False
        began_at = 0.0
        while not self._closing.is_set():
            if not self._buffers:
                self._wakeup.clear()
            is_idle = not (self._buffers or self._closing.is_set())
            self._wakeup.wait(None if is_idle else HEARTBEAT_SECONDS / 2)
            # A slice includes the flush before it.
            seconds_left = began_at + SLICE_SECONDS - time.monotonic()
            self._closing.wait(max(seconds_left, MIN_PAUSE_SECONDS))
            self._wakeup.clear()
            began_at = time.monotonic()
            try:
                self.flush(SLICE_SECONDS)
                self._store_ends()
                is_failing = False
            except Exception as error:
                # Catch everything: without this thread, no reply would be stored.
                if not is_failing:
                    unexpected_error = None if isinstance(error, DatabaseUnavailable) else error
                    logger.exception("Could not store running replies.", exc_info=unexpected_error)
                is_failing = True
                self._closing.wait(RETRY_SECONDS)
            # Entries that were not stored are still buffered: flush again.
            if (
                is_failing
                or self._buffers.unstored_ends
                or any(buffer.has_pending for buffer in self._buffers.snapshot().values())
            ):
                self._wakeup.set()
