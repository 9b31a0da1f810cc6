"""Running replies, each rendered once in this process for all its readers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from chat.log import Batch, Delta, Progress
from core.clock import Clock
from rendering.stream import CpuBudget, DomPatch, IncrementalRenderer, ReplyHtml, replace_all

# A reader that is behind takes the updates after its cursor. At most this number is stored, and
# only as long as they are together shorter than the reply, or than `MIN_STORED_CHARACTERS`.
MAX_STORED_UPDATES = 64
MIN_STORED_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Update:
    """The patches that lead from the HTML at the cursor `after` to the HTML at `cursor`.

    `progress` is the latest progress among the entries of this update, or None.
    """

    after: int
    cursor: int
    patches: tuple[DomPatch, ...]
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class RenderedReply:
    """The HTML of a running reply at `cursor`, and the latest updates that led to it."""

    cursor: int
    html: ReplyHtml
    updates: tuple[Update, ...]

    def continues(self, cursor: int) -> bool:
        """Return whether a reader with the HTML at this cursor can follow by updates alone."""
        return cursor == self.cursor or any(update.after == cursor for update in self.updates)

    def updates_after(self, cursor: int) -> Sequence[Update]:
        """Return the updates that lead from the HTML at a cursor to the current HTML.

        For the cursor 0, and if the stored updates do not continue from the cursor, this is one
        update that replaces everything.
        """
        if self.cursor == 0:
            return ()
        if cursor and self.continues(cursor):
            return [update for update in self.updates if update.after >= cursor]
        progress = self.updates[-1].progress if self.updates else None
        return [Update(cursor, self.cursor, replace_all(self.html.full_html), progress)]


class RunningReply:
    """A running reply that is rendered once for all its readers.

    Readers pass the entries that they have read to `render`, and take the updates after their
    cursor. All readers together stay within one CPU budget: if rendering is expensive, updates
    become rarer.
    """

    def __init__(self, scope: str, clock: Clock) -> None:
        """Create a reply without entries. `scope` makes the ids in its HTML unique."""
        self._budget = CpuBudget(monotonic=clock.monotonic, sleep=clock.sleep)
        self._renderer = IncrementalRenderer(scope, self._budget)
        self._lock = threading.Lock()
        self._final_patches: tuple[DomPatch, ...] | None = None
        self.rendered = RenderedReply(0, self._renderer.html, ())

    def render(self, batch: Batch) -> RenderedReply:
        """Render the entries of a batch that are not rendered yet, and return the current state.

        The batch must begin at or before the entries that are rendered. Waits while the CPU budget
        is used up. After `finish`, nothing is rendered any more.
        """
        with self._lock:
            cursor = self.rendered.cursor
            entries = batch.entries[max(0, cursor - batch.after) :]
            if entries and self._final_patches is None:
                for entry in entries:
                    self._renderer.append(entry.text if isinstance(entry, Delta) else "")
                patches = self._renderer.next_patches()
                progress = next((e for e in reversed(entries) if isinstance(e, Progress)), None)
                update = Update(cursor, batch.last_seq, patches, progress)
                self.rendered = RenderedReply(
                    batch.last_seq, self._renderer.html, self._stored_with(update)
                )
            return self.rendered

    def finish(self, final_html: str) -> tuple[DomPatch, ...]:
        """Return the patches that lead from the HTML in `rendered` to the final HTML.

        `rendered` does not change any more.
        """
        with self._lock:
            if self._final_patches is None:
                self._final_patches = self._renderer.final_patches(final_html)
            return self._final_patches

    def _stored_with(self, update: Update) -> tuple[Update, ...]:
        """Return the updates to store when `update` is added."""
        remaining = max(MIN_STORED_CHARACTERS, self._renderer.html_length)
        updates = (*self.rendered.updates, update)[-MAX_STORED_UPDATES:]
        for index in reversed(range(len(updates))):
            remaining -= sum(len(patch.html) for patch in updates[index].patches)
            if remaining < 0:
                return updates[index + 1 :]
        return updates

    def wait(self) -> None:
        """Wait until `render` would not wait for the CPU budget.

        A reader that waits before it reads the log gets everything that arrives meanwhile at once.
        """
        self._budget.wait()


class RunningReplies:
    """The running replies that have readers in this process, or that this process writes.

    `is_written_here` returns whether this process writes the reply of a turn.
    """

    def __init__(self, clock: Clock, is_written_here: Callable[[str], bool]) -> None:
        self._clock = clock
        self._is_written_here = is_written_here
        self._lock = threading.Lock()
        # By turn and scope, with the number of readers.
        self._replies: dict[tuple[str, str], tuple[RunningReply, int]] = {}

    def __len__(self) -> int:
        """Return the number of replies in memory."""
        return len(self._replies)

    @contextmanager
    def open(self, turn_id: str, scope: str) -> Iterator[RunningReply]:
        """Provide a running reply, shared by all readers with the same `scope`."""
        key = turn_id, scope
        with self._lock:
            self._drop_unused()
            new = RunningReply(scope, self._clock)
            running, reader_count = self._replies.get(key, (new, 0))
            self._replies[key] = running, reader_count + 1
        try:
            yield running
        finally:
            with self._lock:
                _, reader_count = self._replies[key]
                self._replies[key] = running, reader_count - 1
                self._drop_unused()

    def _drop_unused(self) -> None:
        for key, (_, reader_count) in list(self._replies.items()):
            if not (reader_count or self._is_written_here(key[0])):
                del self._replies[key]
