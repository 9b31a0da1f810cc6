"""Mirrors of the logs that other processes write, each shared by all readers in this process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

from twindow.chat.log import store
from twindow.chat.log.buffers import LogBuffer
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

# LISTEN and NOTIFY of PostgreSQL are no alternative: NOTIFY serialises the commits of the whole
# server, and PgBouncer does not support LISTEN in transaction mode.
POLL_SECONDS = 0.075
MIN_PAUSE_SECONDS = 0.01
RECOVERY_INTERVAL_SECONDS = 1.0
CLOSE_TIMEOUT_SECONDS = 2.0
MAX_TURNS_PER_QUERY = 200


class RemoteFollower:
    """Poller that mirrors logs of other processes while they have readers in this process.

    One thread polls all mirrored logs. The thread passes the ids of the running turns to
    `interrupt_abandoned`, which ends the turns of dead workers.
    """

    retry_seconds = 1.0

    def __init__(
        self,
        database: Database,
        interrupt_abandoned: Callable[[Iterable[str]], object],
    ) -> None:
        self.database = database
        self._clock = database.clock
        self._interrupt_abandoned = interrupt_abandoned
        self._mirrors: dict[str, tuple[LogBuffer, int]] = {}
        self._lock = threading.Lock()
        self._wakeup = threading.Event()
        self._thread: threading.Thread | None = None
        self._recovery_checked_at = 0.0
        self._is_closing = False

    @contextmanager
    def follow(self, turn_id: str) -> Iterator[LogBuffer]:
        """Provide a mirror of the log while the `with` block runs."""
        with self._lock:
            buffer, reader_count = self._mirrors.get(turn_id, (LogBuffer(self._clock), 0))
            self._mirrors[turn_id] = buffer, reader_count + 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._poll_until_closed, daemon=True, name="remote-follower"
                )
                self._thread.start()
        self._wakeup.set()
        try:
            if not reader_count:
                with suppress(DatabaseUnavailable):  # the polling thread tries again
                    self._poll([turn_id])
            yield buffer
        finally:
            with self._lock:
                _, reader_count = self._mirrors[turn_id]
                if reader_count > 1:
                    self._mirrors[turn_id] = buffer, reader_count - 1
                else:
                    del self._mirrors[turn_id]

    @property
    def is_following(self) -> bool:
        """Return whether a log has readers."""
        return bool(self._mirrors)

    def close(self) -> None:
        """Release all readers and stop polling."""
        self._is_closing = True
        self._wakeup.set()
        for buffer, _ in list(self._mirrors.values()):
            buffer.abandon()
        if self._thread:
            self._thread.join(CLOSE_TIMEOUT_SECONDS)

    def _poll_until_closed(self) -> None:
        began_at = 0.0
        while not self._is_closing:
            if not self._mirrors:
                self._wakeup.clear()
            if not (self._mirrors or self._is_closing):
                self._wakeup.wait()
                continue
            try:
                time.sleep(max(began_at + POLL_SECONDS - time.monotonic(), MIN_PAUSE_SECONDS))
                began_at = time.monotonic()
                self._poll(list(self._mirrors))
                self._recover_if_due()
            except DatabaseUnavailable:
                self._clock.sleep(self.retry_seconds)
            except Exception:
                # Catch everything: without this thread, readers would wait forever.
                logger.exception("Could not read the logs of other processes.")
                self._clock.sleep(self.retry_seconds)

    def _poll(self, turn_ids: Sequence[str]) -> None:
        ids = iter(turn_ids)
        while chunk := list(islice(ids, MAX_TURNS_PER_QUERY)):
            buffers = {
                id_: counted_mirror[0]
                for id_ in chunk
                if (counted_mirror := self._mirrors.get(id_)) and counted_mirror[0].is_running
            }
            if not buffers:
                continue
            cursors = {id_: buffer.last_seq for id_, buffer in buffers.items()}
            with self.database.read() as connection:
                rows_by_turn = store.read_after(connection, cursors)
            for turn_id, rows in rows_by_turn.items():
                buffers[turn_id].mirror(rows)

    def _recover_if_due(self) -> None:
        if self._clock.monotonic() - self._recovery_checked_at < RECOVERY_INTERVAL_SECONDS:
            return
        self._recovery_checked_at = self._clock.monotonic()
        self._interrupt_abandoned(
            [id_ for id_, (buffer, _) in list(self._mirrors.items()) if buffer.is_running]
        )
