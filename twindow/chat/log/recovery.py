"""Recovery of abandoned replies: each is ended once, by the first process that detects it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Container, Iterable

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from twindow.chat.log import store
from twindow.chat.log.entries import Batch, Ended, ReplyState, keep_text
from twindow.chat.log.heartbeat import Heartbeat
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

SWEEP_INTERVAL_SECONDS = 0.5

INTERRUPTED_BY_DEAD_WORKER = Ended(
    ReplyState.INTERRUPTED, code="worker_died", perhaps_received=True
)

# Condition that is checked inside the transaction that ends a turn. Its arguments are the
# connection and the seconds that the transaction waited for its lock.
Precondition = Callable[[Connection, float], bool]


class Recovery:
    """Recovery of replies whose workers are dead.

    `end_turn` checks its precondition in the transaction that ends the turn. The turns in
    `local_turn_ids` have a worker in this process and are never abandoned.
    """

    # After a longer wait for the lock, even live workers may be late with their heartbeats.
    max_lock_wait_seconds = 0.5

    def __init__(
        self,
        database: Database,
        heartbeat: Heartbeat,
        local_turn_ids: Container[str],
        end_turn: Callable[[str, Ended, Precondition], bool],
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._heartbeat = heartbeat
        self._local_turn_ids = local_turn_ids
        self._end_turn = end_turn
        self._closing = threading.Event()

    def start(self) -> None:
        """Start the thread that ends the replies of processes that died before this start."""
        threading.Thread(target=self._sweep_at_start, daemon=True, name="recovery").start()

    def close(self) -> None:
        """Stop the thread that `start` has started."""
        self._closing.set()

    def interrupt_abandoned(self, turn_ids: Iterable[str]) -> list[str]:
        """Mark the running replies of dead workers as interrupted.

        Returns the ids of the turns that this call has ended.
        """
        return [turn_id for turn_id in self.find_abandoned(turn_ids) if self.interrupt(turn_id)]

    def find_abandoned(self, turn_ids: Iterable[str]) -> list[str]:
        """Return the ids of those running turns that have no live worker."""
        remote_turn_ids = [turn_id for turn_id in turn_ids if turn_id not in self._local_turn_ids]
        if not remote_turn_ids:
            return []
        with self._database.read() as connection:
            return self._heartbeat.abandoned_turn_ids(connection, remote_turn_ids)

    def interrupt_if_uncontended(self, turn_ids: Iterable[str]) -> None:
        """Record a heartbeat, then interrupt abandoned replies if the write lock was free.

        If this process had to wait for the write lock, live workers had to wait, too, and their
        heartbeats may be late.
        """
        lock_requested_at = self._clock.monotonic()
        with self._database.write() as connection:
            lock_wait = self._clock.monotonic() - lock_requested_at
            self._heartbeat.record_heartbeat(connection)
        if self._lock_was_uncontended(lock_wait):
            self.interrupt_abandoned(turn_ids)

    def sweep(self) -> None:
        """Remove stale workers, and interrupt all abandoned replies, even if nobody reads them.

        Called repeatedly for a while after a process has started.
        """
        with self._database.read() as connection:
            stale_workers = self._heartbeat.stale_workers(connection)
        if stale_workers:
            lock_requested_at = self._clock.monotonic()
            with self._database.write() as connection:
                if not self._can_judge(connection, self._clock.monotonic() - lock_requested_at):
                    return
                for worker_id, beat_count in stale_workers.items():
                    self._heartbeat.remove_worker(connection, worker_id, beat_count)
        with self._database.read() as connection:
            turn_ids = store.select_turns_without_worker(connection)
        self.interrupt_abandoned(turn_ids)

    def interrupt(self, turn_id: str) -> bool:
        """Mark a reply as interrupted unless its worker is alive.

        Returns whether the reply was marked. Raises DatabaseUnavailable.
        """

        def is_still_abandoned(connection: Connection, lock_wait: float) -> bool:
            return self._can_judge(connection, lock_wait) and bool(
                self._heartbeat.abandoned_turn_ids(connection, [turn_id])
            )

        try:
            return self._end_turn(turn_id, INTERRUPTED_BY_DEAD_WORKER, is_still_abandoned)
        except DatabaseUnavailable:
            raise
        except Exception:  # one broken turn must not prevent the others from ending
            logger.exception("turn %s: could not end the reply of a dead worker", turn_id)
            return False

    def _can_judge(self, connection: Connection, lock_wait: float) -> bool:
        """Write a test row, and return whether live workers can write their heartbeats."""
        started_at = self._clock.monotonic()
        try:
            self._heartbeat.probe(connection)
        except DBAPIError:
            self._heartbeat.forget_observations()
            raise
        return self._lock_was_uncontended(lock_wait + self._clock.monotonic() - started_at)

    def _lock_was_uncontended(self, lock_wait: float) -> bool:
        if lock_wait > self.max_lock_wait_seconds:
            self._heartbeat.forget_observations()
            return False
        return True

    def _sweep_at_start(self) -> None:
        deadline = self._clock.monotonic() + 2 * self._heartbeat.stale_after_seconds
        while self._clock.monotonic() < deadline and not self._closing.is_set():
            try:
                self.sweep()
            except DatabaseUnavailable:
                pass  # the next sweep tries again
            except Exception:
                logger.exception("Could not search for abandoned replies.")
            self._closing.wait(SWEEP_INTERVAL_SECONDS)


def as_interrupted(batch: Batch) -> Batch:
    """Return the log of an abandoned reply as if the reply had been interrupted."""
    ended = keep_text(INTERRUPTED_BY_DEAD_WORKER, batch.entries)
    return Batch(0, batch.last_seq + 1, (ended,))
