"""Renderers of running replies, each shared by all readers of its reply in this process."""

from __future__ import annotations

import re
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from twindow.chat.log import Batch, Entry
from twindow.core.clock import Clock
from twindow.rendering.stream import (
    CHUNK_LENGTH,
    CpuBudget,
    DomPatch,
    IncrementalRenderer,
    ReplyHtml,
)
from twindow.twinapi import Delta, Progress

# A reader that is behind takes the updates after its cursor. At most this number is stored, and
# only as long as they are together shorter than the reply, or than `MIN_STORED_CHARACTERS`.
MAX_STORED_UPDATES = 64
MIN_STORED_CHARACTERS = 4_000

_CURSOR = re.compile(r"(\d{1,9})(?:-(\w{1,16}))?", re.ASCII)


class PageCursor(NamedTuple):
    """The last entry that a page shows, and the renderer of its HTML.

    Renderers may join entries differently, and then differ in the HTML of an unfinished block at
    the same entry. So patches fit only HTML of the same renderer.
    """

    seq: int = 0
    renderer_id: str = ""

    @classmethod
    def parse(cls, text: str) -> PageCursor:
        """Parse the string form; return the beginning of the reply if it is invalid."""
        match = _CURSOR.fullmatch(text)
        return cls(int(match[1]), match[2] or "") if match else cls()

    def __str__(self) -> str:
        """Return the form for URLs and ids of events."""
        return f"{self.seq}-{self.renderer_id}"


@dataclass(frozen=True, slots=True)
class Update:
    """The patches that lead from the HTML at the cursor `after` to the HTML at `cursor`.

    `progress` is the latest progress among the entries of this update, or None.
    """

    after: int
    cursor: int
    patches: tuple[DomPatch, ...]
    progress: Progress | None = None

    @property
    def length(self) -> int:
        """Return the length of the HTML."""
        return sum(len(patch.html) for patch in self.patches)


@dataclass(frozen=True, slots=True)
class RenderedReply:
    """The HTML of a running reply at `cursor`, and the latest updates that led to it."""

    renderer_id: str
    cursor: int
    html: ReplyHtml
    updates: tuple[Update, ...]

    @property
    def page_cursor(self) -> PageCursor:
        """Return the cursor of a page with this HTML."""
        return PageCursor(self.cursor, self.renderer_id)

    def updates_after(self, page: PageCursor) -> Sequence[Update] | None:
        """Return the updates that lead from the HTML of a page to the current HTML.

        Returns None if another renderer has made the HTML of the page, or if the stored updates do
        not continue from it. The page then needs `replacement`. This includes the cursor 0, because
        a reader may have lost its cursor, but not its HTML.
        """
        if page.seq and page.renderer_id != self.renderer_id:
            return None
        if page.seq == self.cursor:
            return ()
        newest_first = list(
            takewhile(lambda update: update.after >= page.seq, reversed(self.updates))
        )
        if not page.seq or not newest_first or newest_first[-1].after != page.seq:
            return None
        return newest_first[::-1]

    @property
    def replacement(self) -> Update:
        """Return the update from any HTML to the current HTML; equal elements stay."""
        progress = self.updates[-1].progress if self.updates else None
        patch = DomPatch(0, "updateInner", self.html.full_html)
        return Update(0, self.cursor, (patch,), progress)


class ReplyRenderer:
    """Renderer of a running reply, which renders it once for all its readers.

    Readers pass the entries that they have read to `render`, and take the updates after their
    cursor. Rendering has one CPU budget, whatever the number of readers: if it is expensive,
    updates become rarer.
    """

    def __init__(self, scope: str, budget: CpuBudget) -> None:
        """Create a renderer without entries. `scope` makes the ids in its HTML unique."""
        self._budget = budget
        self._renderer = IncrementalRenderer(scope)
        self._lock = threading.Lock()
        # The entries that are not appended to the renderer yet, and the number of the others.
        self._entries: deque[Entry] = deque()
        self._appended_count = 0
        # The latest progress since the last update.
        self._progress: Progress | None = None
        self._final_patches: tuple[DomPatch, ...] | None = None
        self._updates: deque[Update] = deque()
        self._updates_length = 0
        self.rendered = RenderedReply(secrets.token_hex(4), 0, self._renderer.html, ())

    def render(self, batch: Batch) -> RenderedReply:
        """Render what the CPU budget allows of the new entries, and return the current state.

        The batch must begin at or before the entries of earlier batches. Never waits for the
        budget; if `is_behind` is True afterwards, call it again after `seconds_to_wait`. After
        `finish`, nothing is rendered any more.
        """
        with self._lock:
            known_count = self._appended_count + len(self._entries)
            self._entries.extend(batch.entries[max(0, known_count - batch.after) :])
            if self._final_patches is None:
                self._advance()
            return self.rendered

    def _advance(self) -> None:
        while self.is_behind and not self._budget.seconds_to_wait:
            with self._budget.work():
                if not self._renderer.has_chunks:
                    self._append_entries()
                if self._renderer.has_chunks:
                    self._renderer.process_chunk()
                # The HTML of a part of an entry has no cursor.
                if not self._renderer.has_chunks:
                    self._publish()

    def _append_entries(self) -> None:
        """Append entries with enough text for one chunk, which costs no more than one entry."""
        texts: list[str] = []
        while self._entries and sum(map(len, texts)) < CHUNK_LENGTH:
            entry = self._entries.popleft()
            self._appended_count += 1
            if isinstance(entry, Progress):
                self._progress = entry
            elif isinstance(entry, Delta):
                texts.append(entry.text)
        self._renderer.append("".join(texts))

    def _publish(self) -> None:
        patches = self._renderer.next_patches()
        update = Update(self.rendered.cursor, self._appended_count, patches, self._progress)
        self._progress = None
        self._store(update)
        self.rendered = replace(
            self.rendered,
            cursor=self._appended_count,
            html=self._renderer.html,
            updates=tuple(self._updates),
        )

    def _store(self, update: Update) -> None:
        """Store an update, and remove the oldest ones if they are too many or too long together."""
        self._updates.append(update)
        self._updates_length += update.length
        limit = max(MIN_STORED_CHARACTERS, self._renderer.html_length)
        while self._updates and (
            len(self._updates) > MAX_STORED_UPDATES or self._updates_length > limit
        ):
            self._updates_length -= self._updates.popleft().length

    @property
    def is_behind(self) -> bool:
        """Return whether entries that readers have passed are not rendered yet."""
        return bool(self._entries) or self._renderer.has_chunks

    @property
    def seconds_to_wait(self) -> float:
        """Return how long `render` would do nothing, because the CPU budget is used up."""
        return self._budget.seconds_to_wait

    def finish(self, final_html: str) -> tuple[DomPatch, ...]:
        """Return the patches that lead from the HTML in `rendered` to the final HTML.

        `rendered` does not change any more.
        """
        with self._lock:
            if self._final_patches is None:
                self._final_patches = self._renderer.final_patches(final_html)
            return self._final_patches


class ReplyRenderers:
    """Renderers of the replies that have readers in this process, or that this process writes.

    `is_written_here` returns whether this process writes the reply of a turn.
    """

    def __init__(self, clock: Clock, is_written_here: Callable[[str], bool]) -> None:
        self._clock = clock
        self._is_written_here = is_written_here
        self._lock = threading.Lock()
        self._waiting: set[CpuBudget] = set()
        # By turn and scope, with the number of readers.
        self._renderers: dict[tuple[str, str], tuple[ReplyRenderer, int]] = {}

    @contextmanager
    def open(self, turn_id: str, scope: str) -> Iterator[ReplyRenderer]:
        """Provide the renderer that all readers of a reply with the same `scope` share."""
        key = turn_id, scope
        with self._lock:
            self._drop_unused()
            if key not in self._renderers:
                budget = CpuBudget(self._waiting, monotonic=self._clock.monotonic)
                self._renderers[key] = ReplyRenderer(scope, budget), 0
            renderer, reader_count = self._renderers[key]
            self._renderers[key] = renderer, reader_count + 1
        try:
            yield renderer
        finally:
            with self._lock:
                _, reader_count = self._renderers[key]
                self._renderers[key] = renderer, reader_count - 1
                self._drop_unused()

    def _drop_unused(self) -> None:
        for key, (_, reader_count) in list(self._renderers.items()):
            if not (reader_count or self._is_written_here(key[0])):
                del self._renderers[key]
