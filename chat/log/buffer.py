"""The log of one reply in memory: of the process that produces it, or of one that looks on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from chat.log.entries import Batch, Delta, Ended, Entry, Progress
from core.clock import Clock

# To show more of a long reply takes a browser longer: with each so many characters it is shown a
# slice less often, up to so many slices.
CHARS_PER_EXTRA_SLICE = 30_000
MAX_SLICES = 4


class LogBuffer:
    """Collect entries, wake readers, and remember what is not stored yet.

    Deltas are held for a slice (for more of them when the reply is long) and become one entry, of
    progress the newest is held, so that a fast service costs readers and database no more than a
    slow one. The number of an entry is its place, from 1.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._entries: list[Entry] = []
        self._pending: list[str] = []
        self._text_length = 0
        self._progress: Progress | None = None
        self._has_pending_progress = False
        self._merged_at = 0.0
        self._flushed_seq = 0
        self._is_closed = False
        self._was_abandoned = False
        self._on_close: Callable[[], None] | None = None

    @property
    def entries(self) -> Sequence[Entry]:
        """Everything so far, what is held included."""
        with self._changed:
            self._merge_pending()
            return tuple(self._entries)

    @property
    def last_seq(self) -> int:
        """Return the number of the last entry."""
        return len(self._entries)

    @property
    def is_running(self) -> bool:
        """Tell whether more may come."""
        return not (self._is_closed or self._was_abandoned)

    @property
    def is_sending(self) -> bool:
        """Tell whether the service is being asked, or has been."""
        return self._on_close is not None

    @property
    def is_abandoned(self) -> bool:
        """Tell whether nobody writes here any more, although there is no end."""
        return self._was_abandoned and not self._is_closed

    def append(self, new_entries: Sequence[Entry], slice_seconds: float) -> None:
        """Take entries in; what follows a quiet slice goes out at once."""
        with self._changed:
            if self._is_closed:
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
        """Take in what another process has stored; what is known already does no harm."""
        for seq, entry in rows:
            if isinstance(entry, Ended):
                self.close(entry)
                return
            with self._changed:
                if seq > len(self._entries):
                    self._entries.append(entry)
                    self._changed.notify_all()

    @property
    def has_pending(self) -> bool:
        """Tell whether something waits for the end of its slice."""
        return bool(self._pending or self._has_pending_progress)

    def unflushed(self, slice_seconds: float) -> list[tuple[int, Entry]]:
        """Return the entries that are not stored yet, with their numbers."""
        with self._changed:
            if not self._is_closed and self._is_due(slice_seconds):
                self._merge_pending()
            return list(enumerate(self._entries[self._flushed_seq :], self._flushed_seq + 1))

    def mark_flushed(self, numbered_entries: Sequence[tuple[int, Entry]]) -> None:
        """Remember that these are safe."""
        if numbered_entries:
            self._flushed_seq = numbered_entries[-1][0]

    def batch(self, after: int) -> Batch:
        """Return what follows the cursor; from a cursor it does not know, everything."""
        with self._changed:
            if after > len(self._entries) or (self._is_closed and after == len(self._entries)):
                after = 0
            return Batch(after, len(self._entries), tuple(self._entries[after:]))

    def wait(self, after: int, timeout: float) -> Batch:
        """Wait until something follows the cursor, `timeout` seconds at most."""
        with self._changed:
            # A cursor from beyond the log knows nothing: waiting for "not equal" would not wait.
            cursor = after if after <= len(self._entries) else 0
            self._changed.wait_for(
                lambda: len(self._entries) > cursor or not self.is_running, timeout
            )
        return self.batch(cursor)

    def call_on_close(self, callback: Callable[[], None]) -> None:
        """Call back when the turn has ended, at once if it has."""
        with self._changed:
            if not self._is_closed:
                self._on_close = callback
                return
        callback()

    def abandon(self) -> None:
        """Let everybody go who waits: what they wait for is to be found elsewhere, or nowhere."""
        with self._changed:
            self._was_abandoned = True
            self._changed.notify_all()

    def close(self, ended: Ended) -> None:
        """Add the last entry and let everybody know."""
        with self._changed:
            if self._is_closed:
                return
            self._merge_pending()
            self._entries.append(ended)
            self._is_closed = True
            self._changed.notify_all()
        if self._on_close:
            self._on_close()

    def _is_due(self, slice_seconds: float) -> bool:
        slice_count = min(1 + self._text_length // CHARS_PER_EXTRA_SLICE, MAX_SLICES)
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
