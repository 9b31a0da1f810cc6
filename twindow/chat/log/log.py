"""Reply logs, which together are the transcript.

Workers append entries, and readers get the entries after their cursor. Readers in the same
process get entries from memory, at most 20 times per second and turn (5 times for very long
replies). Entries are stored about one slice (50 ms) later, in one transaction for all turns.
`kill -9` loses the entries that are not stored yet.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial

from twindow.chat.log import flusher, store
from twindow.chat.log.buffers import LocalBuffers, LogBuffer
from twindow.chat.log.entries import Batch, Ended, Entry, ReplyState, join_text, keep_text
from twindow.chat.log.flusher import Flusher
from twindow.chat.log.heartbeat import Heartbeat
from twindow.chat.log.recovery import (
    INTERRUPTED_BY_DEAD_WORKER,
    Precondition,
    Recovery,
    as_interrupted,
)
from twindow.chat.log.remote_follower import RemoteFollower
from twindow.chat.log.shutdown import end_running_replies
from twindow.chat.log.store import store_end
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.server.process_load import ProcessLoad

logger = logging.getLogger(__name__)

# Beyond this number of running replies, a process accepts no more messages. With 500, each with a
# reader and ten deltas a second, nothing is lost, and 95 % of the pages take a sixth of a second at
# most (docs/measures.md).
MAX_REPLIES_OF_PROCESS = 500

NOT_CONFIRMED = Ended(ReplyState.FAILED, code="database_unreadable")


class Log:
    """Reply logs of all turns.

    When this process has stored the end of a reply that has text, and its readers have it, it
    calls `on_stored(turn_id, text)`, except during a shutdown. `on_stored` must not raise. `load`
    is measured while replies run or are followed.
    """

    # Readers get an empty batch after this long without entries. A page counts a stream as lost
    # after twice as long (SILENCE_MS in static/js/reconnection.js), and an ended sign-in closes its
    # streams at a keep-alive (CHECK_SECONDS in twindow/web/person/revocation.py).
    keepalive_seconds = 3.0

    def __init__(
        self, database: Database, load: ProcessLoad, on_stored: Callable[[str, str], object]
    ) -> None:
        self.database = database
        self._load = load
        self._on_stored = on_stored
        self.is_closing = False
        self._buffers = LocalBuffers(database.clock, database.metrics)
        self._heartbeat = Heartbeat(database)
        self._flusher = Flusher(
            database, self._heartbeat, self._buffers, partial(self.end, reserved=True)
        )
        self._recovery = Recovery(database, self._heartbeat, self._buffers, self.end)
        self._remote_follower = RemoteFollower(database, self._recovery.interrupt_if_uncontended)

    def start(self) -> None:
        """Start a thread that ends the replies of processes that died before this start."""
        self._recovery.start()

    def prepare_claim(self) -> None:
        """Let other processes know that this worker lives. Call this before the transaction.

        Raises DatabaseUnavailable.
        """
        self._heartbeat.record_if_due()

    def claim(self, turn_id: str) -> str:
        """Open the buffer of a turn that a transaction inserts. Return the id of the worker.

        If the transaction fails, call `cancel_claim`. Raises DatabaseUnavailable when this process
        is shutting down.
        """
        if self.is_closing:
            raise DatabaseUnavailable
        self._buffers.open(turn_id)
        self._measure_load()
        self._flusher.wake()
        return self._heartbeat.worker_id

    def cancel_claim(self, turn_id: str) -> None:
        """Give up a turn that could not be inserted.

        If only the confirmation of the commit was lost, the turn exists. This method ends such a
        turn: other processes would otherwise wait for its reply as long as this process lives.
        """
        if self._buffers.get(turn_id):
            self.end_later(turn_id, NOT_CONFIRMED)

    def drop_buffer(self, turn_id: str) -> None:
        """Remove the buffer of a turn that has no worker any more.

        A turn without an end counts as abandoned afterwards.
        """
        self._buffers.drop(turn_id)

    def append(self, turn_id: str, *new_entries: Entry) -> None:
        """Append entries to the turn. Entries after the end are discarded."""
        if buffer := self._buffers.get(turn_id):
            had_text = buffer.has_text
            buffer.append(new_entries, flusher.SLICE_SECONDS)
            if buffer.has_text and not had_text:
                delay = self.database.clock.monotonic() - buffer.opened_at
                self.database.metrics.observe_first_text(delay)
            self._flusher.wake()

    def set_abort(self, turn_id: str, abort: Callable[[], None]) -> bool:
        """Call `abort` when the turn ends, in this process or another: *Stop* ends the turn.

        Returns False, without storing it, if the worker may not send a request any more.
        """
        buffer = self._buffers.get(turn_id)
        return buffer is not None and buffer.set_abort(abort)

    def allows_requests(self, turn_id: str) -> bool:
        """Return whether the worker of a turn may send a request.

        The worker may not send a request after the turn has ended, in this process or another, nor
        during a shutdown. While the database is unavailable, the method may miss that another
        process has ended the turn.
        """
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            if store.read_ends(connection, [turn_id]):
                return False
        buffer = self._buffers.get(turn_id)
        return not self.is_closing and buffer is not None and buffer.allows_requests

    @property
    def is_full(self) -> bool:
        """Return whether this process writes or must store `MAX_REPLIES_OF_PROCESS` replies."""
        return len(self._buffers) >= MAX_REPLIES_OF_PROCESS

    def is_writing(self, turn_id: str) -> bool:
        """Return whether this process writes the reply of a turn."""
        return self._buffers.get(turn_id) is not None

    def text(self, turn_id: str) -> str:
        """Return the text received so far."""
        buffer = self._buffers.get(turn_id)
        return join_text(buffer.entries) if buffer else ""

    def end(
        self,
        turn_id: str,
        ended: Ended,
        precondition: Precondition | None = None,
        *,
        reserved: bool = False,
    ) -> bool:
        """End a turn and return True, or return False if it has already ended.

        Replaces all entries of the turn with `ended`. An end without text keeps the text so far.
        Returns False if the turn does not exist any more, or if the `precondition`, checked in the
        transaction, fails. `reserved` is for the flusher, which must wait neither for
        requests nor for `on_stored`. Raises DatabaseUnavailable.
        """
        buffer = self._buffers.get(turn_id)
        if ended.state is ReplyState.STOPPED and buffer:
            buffer.forbid_requests()
        clock = self.database.clock
        lock_requested_at = clock.monotonic()
        with self.database.write(durable=True, reserved=reserved) as connection:
            if not store.lock(connection, turn_id):
                self.drop_buffer(turn_id)
                return False
            if precondition and not precondition(connection, clock.monotonic() - lock_requested_at):
                return False
            rows = store.read(connection, [turn_id])[turn_id]
            final_entry, is_first_end = store_end(connection, turn_id, rows, ended, buffer)
        self._buffers.end(turn_id, final_entry)
        if is_first_end:
            self.database.metrics.count("replies", final_entry.state)
        if is_first_end and final_entry.text and not (self.is_closing or reserved):
            self._on_stored(turn_id, final_entry.text)
        return is_first_end

    def end_later(self, turn_id: str, ended: Ended, shown: Ended | None = None) -> None:
        """End a turn in memory, and store its end as soon as possible.

        Readers in this process get `shown` at once, or `ended` if `shown` is None.
        """
        buffer = self._buffers.get(turn_id)
        if buffer:
            ended = keep_text(ended, buffer.entries)
            shown = keep_text(shown or ended, buffer.entries)
        # First, because a turn without both would count as abandoned.
        self._buffers.unstored_ends[turn_id] = ended
        self._buffers.end(turn_id, shown or ended)
        self._flusher.wake()

    def release(self, turn_id: str) -> None:
        """End the reply as interrupted if its worker is gone and has not ended it."""
        if self._buffers.get(turn_id):
            self.end_later(turn_id, INTERRUPTED_BY_DEAD_WORKER)

    def read(self, turn_id: str) -> Batch:
        """Return the complete log of a turn."""
        return self._buffers.batch(turn_id) or self._read_stored([turn_id])[turn_id]

    def read_all(self, turn_ids: list[str]) -> dict[str, Batch]:
        """Return the complete logs of several turns, after ending the turns of dead workers."""
        buffered_batches = {
            turn_id: batch for turn_id in turn_ids if (batch := self._buffers.batch(turn_id))
        }
        stored_batches = self._read_stored(
            [turn_id for turn_id in turn_ids if turn_id not in buffered_batches]
        )
        running_ids = [id_ for id_, batch in stored_batches.items() if not batch.is_final]
        for turn_id in self._recovery.find_abandoned(running_ids):
            try:
                self._recovery.interrupt(turn_id)
                stored_batches[turn_id] = self.read(turn_id)
            except DatabaseUnavailable:  # show as interrupted; a later call ends the turn
                stored_batches[turn_id] = as_interrupted(stored_batches[turn_id])
        return buffered_batches | stored_batches

    def interrupt_abandoned(self, turn_ids: Iterable[str]) -> list[str]:
        """Mark the running replies of dead workers as interrupted.

        Returns the ids of the turns that this call has ended. Raises DatabaseUnavailable.
        """
        return self._recovery.interrupt_abandoned(turn_ids)

    def _read_stored(self, turn_ids: list[str]) -> dict[str, Batch]:
        if not turn_ids:
            return {}
        with self.database.read() as connection:
            rows_by_turn = store.read(connection, turn_ids)
        return {turn_id: store.make_batch(rows) for turn_id, rows in rows_by_turn.items()}

    def follow(
        self, turn_id: str, keepalive_seconds: Callable[[], float] | None = None
    ) -> Iterator[Batch]:
        """Yield the whole log, then new entries until the turn ends or the log is closed.

        A page that has a part of the reply skips what it has when the entries are rendered.

        Before each batch, `keepalive_seconds` is called (default: `Log.keepalive_seconds`). After
        that time without entries, an empty batch is yielded, as a sign that the reply is still
        running.
        """
        after = 0
        while not self.is_closing:
            with self._buffer_to_follow(turn_id) as buffer:
                while not (self.is_closing or buffer.is_abandoned):
                    timeout = keepalive_seconds() if keepalive_seconds else self.keepalive_seconds
                    batch = buffer.wait(after, timeout)
                    after = batch.last_seq
                    if batch.entries or buffer.is_running:
                        yield batch
                    if batch.is_final:
                        return

    def _buffer_to_follow(self, turn_id: str) -> AbstractContextManager[LogBuffer]:
        if buffer := self._buffers.get(turn_id):
            return nullcontext(buffer)
        self._measure_load()
        return self._remote_follower.follow(turn_id)

    def _measure_load(self) -> None:
        self._load.measure_while(self._is_in_use)

    def _is_in_use(self) -> bool:
        return bool(self._buffers) or self._remote_follower.is_following

    def close(self) -> None:
        """End every running reply of this process as interrupted, and release all readers.

        The readers reconnect.
        """
        self.is_closing = True
        self._recovery.close()
        self._flusher.close()  # a flush locks turns, so they could not be ended
        end_running_replies(self.database, self._buffers, self.end)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self._heartbeat.remove_own_heartbeat(connection)
        self._remote_follower.close()

    def can_write(self) -> bool:
        """Return whether the database accepts writes, by inserting and deleting a row."""
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self._heartbeat.probe(connection)
            return True
        return False

    def flush(self) -> None:
        """Store all appended entries now."""
        self._flusher.flush()
