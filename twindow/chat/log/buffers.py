"""Buffers of the replies that this process writes or follows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from twindow.chat.log.entries import Batch, Ended, Entry
from twindow.core.clock import Clock
from twindow.core.metrics import Metrics
from twindow.twinapi import Delta, Progress

# Browsers need more time to display a long reply, so the merge interval grows by one slice for each
# CHARACTERS_PER_EXTRA_SLICE characters, up to MAX_SLICES slices.
CHARACTERS_PER_EXTRA_SLICE = 30_000
MAX_SLICES = 4


class LogBuffer:
    """Buffer of one reply log that wakes its readers and tracks which entries are not stored yet.

    Deltas are buffered for one time slice (longer for long replies) and merged into one entry; only
    the latest progress is kept. A fast service therefore costs readers and database no more than a
    slow one. Entries are numbered from 1.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.opened_at = clock.monotonic()
        self._changed = threading.Condition()
        self._entries: list[Entry] = []
        self._pending: list[str] = []
        self._text_length = 0
        self._progress: Progress | None = None
        self._has_pending_progress = False
        self._merged_at = 0.0
        self._flushed_seq = 0
        self._is_ended = False
        self._was_abandoned = False
        self._are_requests_forbidden = False
        self._abort: Callable[[], None] | None = None

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries so far, including pending ones, which are merged first."""
        with self._changed:
            self._merge_pending()
            return tuple(self._entries)

    @property
    def has_text(self) -> bool:
        """Return whether a delta was appended."""
        return self._text_length > 0

    @property
    def last_seq(self) -> int:
        """Number of the last merged entry; 0 while there is none."""
        return len(self._entries)

    @property
    def is_running(self) -> bool:
        """Return whether more entries may follow: the buffer is neither ended nor abandoned."""
        return not (self._is_ended or self._was_abandoned)

    @property
    def is_abandoned(self) -> bool:
        """Return whether the buffer was abandoned without an end, so that no entry will follow."""
        return self._was_abandoned and not self._is_ended

    def append(self, new_entries: Sequence[Entry], slice_seconds: float) -> None:
        """Add entries; merge them at once if the previous merge is at least one slice old.

        Entries after the end are ignored.
        """
        with self._changed:
            if self._is_ended:
                return
            for entry in new_entries:
                if isinstance(entry, Delta):
                    self._pending.append(entry.text)
                    self._text_length += len(entry.text)
                elif isinstance(entry, Progress) and entry != self._progress:
                    self._progress = entry
                    self._has_pending_progress = True
            if self._is_due(slice_seconds):
                self._merge_pending()

    def mirror(self, rows: Iterable[tuple[int, Entry]]) -> None:
        """Add rows that another process has stored. Only the next row, or the final row, is added.

        Skipped rows are already in the buffer, or follow a gap that the next query fills.
        """
        for seq, entry in rows:
            if isinstance(entry, Ended):
                self.end(entry)
                return
            with self._changed:
                if seq == len(self._entries) + 1 and not self._is_ended:
                    self._entries.append(entry)
                    self._changed.notify_all()

    @property
    def has_pending(self) -> bool:
        """Return whether entries are waiting to be merged at the end of their slice."""
        return bool(self._pending or self._has_pending_progress)

    def unflushed(self, slice_seconds: float) -> list[tuple[int, Entry]]:
        """Return the entries that are not stored yet, with their numbers.

        Merges pending entries first if a slice has passed.
        """
        with self._changed:
            if not self._is_ended and self._is_due(slice_seconds):
                self._merge_pending()
            return list(enumerate(self._entries[self._flushed_seq :], self._flushed_seq + 1))

    def mark_flushed(self, numbered_entries: Sequence[tuple[int, Entry]]) -> None:
        """Record that these entries, and all before them, are stored."""
        if numbered_entries:
            self._flushed_seq = numbered_entries[-1][0]

    def batch(self, after: int) -> Batch:
        """Return the entries after the cursor.

        Returns all entries if the cursor is beyond the log, or at the end of a closed log.
        """
        with self._changed:
            if after > len(self._entries) or (self._is_ended and after == len(self._entries)):
                after = 0
            return Batch(after, len(self._entries), tuple(self._entries[after:]))

    def wait(self, after: int, timeout: float) -> Batch:
        """Wait at most `timeout` seconds for an entry after the cursor or for the end."""
        with self._changed:
            # A cursor beyond the log starts over at 0.
            cursor = after if after <= len(self._entries) else 0
            self._changed.wait_for(
                lambda: len(self._entries) > cursor or not self.is_running, timeout
            )
        return self.batch(cursor)

    def set_abort(self, abort: Callable[[], None]) -> bool:
        """Call `abort` when the buffer ends: it closes the stream of the service.

        Replaces a function that was set before. Returns False, without setting it, if the worker
        may not send requests.
        """
        with self._changed:
            if not self.allows_requests:
                return False
            self._abort = abort
            return True

    @property
    def allows_requests(self) -> bool:
        """Return whether the reply is running and the worker may send requests for it."""
        return self.is_running and not self._are_requests_forbidden

    def forbid_requests(self) -> bool:
        """Forbid further requests. Return whether the worker may have sent the message."""
        with self._changed:
            self._are_requests_forbidden = True
            return self._abort is not None

    def abandon(self) -> None:
        """Wake all waiting readers without appending an end.

        The rest of the log is in the database, or was never written.
        """
        with self._changed:
            self._was_abandoned = True
            self._changed.notify_all()

    def end(self, ended: Ended) -> None:
        """Append the final entry, notify all readers and call the function of `set_abort`."""
        with self._changed:
            if self._is_ended:
                return
            self._merge_pending()
            self._entries.append(ended)
            self._is_ended = True
            self._changed.notify_all()
        if self._abort:
            self._abort()

    def _is_due(self, slice_seconds: float) -> bool:
        slice_count = min(1 + self._text_length // CHARACTERS_PER_EXTRA_SLICE, MAX_SLICES)
        return self._clock.monotonic() - self._merged_at >= slice_seconds * slice_count

    def _merge_pending(self) -> None:
        if not self.has_pending:
            return
        if self._pending:
            self._entries.append(Delta("".join(self._pending)))
            self._pending.clear()
        if self._has_pending_progress and self._progress:
            self._entries.append(self._progress)
            self._has_pending_progress = False
        self._merged_at = self._clock.monotonic()
        self._changed.notify_all()


class LocalBuffers:
    """Log buffers by turn id, from the insertion of a turn until the end of its reply.

    `unstored_ends` are ends that could not be stored yet, by turn id.
    """

    def __init__(self, clock: Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._buffers: dict[str, LogBuffer] = {}
        self.unstored_ends: dict[str, Ended] = {}

    def __contains__(self, turn_id: object) -> bool:
        """Return whether this process still has something to store for a turn."""
        return turn_id in self._buffers or turn_id in self.unstored_ends

    def __len__(self) -> int:
        """Return the number of turns with something to store."""
        return len(self._buffers) + len(self.unstored_ends)

    def open(self, turn_id: str) -> None:
        """Create the buffer of a turn."""
        self._buffers[turn_id] = LogBuffer(self._clock)
        self._count()

    def get(self, turn_id: str) -> LogBuffer | None:
        """Return the buffer of a turn, or None if this process does not write its reply."""
        return self._buffers.get(turn_id)

    def batch(self, turn_id: str) -> Batch | None:
        """Return the complete log of a turn, or None if it is in the database only."""
        if buffer := self._buffers.get(turn_id):
            return buffer.batch(0)
        ended = self.unstored_ends.get(turn_id)
        return Batch(0, 1, (ended,)) if ended else None

    def snapshot(self) -> Mapping[str, LogBuffer]:
        """Return a copy of the buffers by turn id."""
        return dict(self._buffers)

    def end(self, turn_id: str, ended: Ended) -> None:
        """Remove the buffer of a turn, if there is one, and send `ended` to its readers."""
        if buffer := self._buffers.pop(turn_id, None):
            self._count()
            buffer.end(ended)

    def drop(self, turn_id: str) -> None:
        """Remove the buffer of a turn, if there is one. Its readers stop without a final entry."""
        if buffer := self._buffers.pop(turn_id, None):
            self._count()
            buffer.abandon()

    def _count(self) -> None:
        self._metrics.set("replies_running", len(self._buffers))
