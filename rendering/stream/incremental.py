"""HTML of a reply while it is written. Closed blocks are rendered only once.

A block is closed when another block begins. Later text changes a closed block only if the text
defines a reference that the block uses. When the reply ends, the whole text is rendered again,
which corrects such blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rendering.render import MAX_MARKDOWN_CHARACTERS, max_html_length
from rendering.stream.dom_patch import DomPatch, diff
from rendering.stream.open_block import BlockHtml, OpenBlock

# Number of characters that are parsed at once.
CHUNK_LENGTH = 4_000
# After this CPU time, a reader pauses for `PAUSE_RATIO` times as long, so that the readers of an
# expensive reply leave time to other people.
MAX_CPU_SECONDS = 0.01
PAUSE_RATIO = 2


class IncrementalRenderer:
    """Renders a growing reply, and returns patches for one reader.

    All processes render the same HTML for the same log entries. A reader can therefore continue
    from a page that another process has rendered.
    """

    def __init__(
        self,
        scope: str,
        after: int = 0,
        *,
        pause: Callable[[float], None] = time.sleep,
        cpu_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """Create a renderer; `after` is the cursor of the HTML that the reader has, or 0.

        `pause` waits for some seconds; `cpu_time` returns the CPU time of the thread in seconds.
        """
        self._pause = pause
        self._cpu_time = cpu_time
        self._cpu_since_pause = 0.0
        self.cursor = 0
        self._length = 0
        self._reader_cursor = after
        self._open_block = OpenBlock(scope)
        self._closed_blocks: list[str] = []
        self._closed_length = 0
        self._is_stopped = False
        self._reader_state: tuple[int, BlockHtml] | None = None

    @property
    def closed_blocks(self) -> Sequence[str]:
        """Return the HTML of the closed blocks, in pieces."""
        return self._closed_blocks

    @property
    def open_html(self) -> str:
        """Return the HTML of the open block."""
        return self._open_block.html.full_html

    @property
    def html(self) -> str:
        """Return the HTML of all entries so far."""
        return "".join(self._closed_blocks) + self.open_html

    def append(self, entry_number: int, text: str) -> None:
        """Append the next entry, whose `text` may be empty. Entries are numbered from 1."""
        self._length += len(text)
        # If the text or its HTML is too long, the HTML stays unchanged until the reply ends, and
        # becomes plain text then.
        self._is_stopped |= (
            self._length > MAX_MARKDOWN_CHARACTERS
            or self._closed_length > max_html_length(self._length)
        )
        if not self._is_stopped:
            for start in range(0, len(text), CHUNK_LENGTH):
                end = start + CHUNK_LENGTH
                started_at = self._cpu_time()
                if closed_html := self._open_block.append(
                    text[start:end], force=0 < start < len(text) <= end
                ):
                    self._closed_blocks.append(closed_html)
                    self._closed_length += len(closed_html)
                self._pause_if_due(started_at)
        self.cursor = entry_number
        if entry_number == self._reader_cursor:
            self._reader_state = len(self._closed_blocks), self._open_block.html

    def _pause_if_due(self, started_at: float) -> None:
        self._cpu_since_pause += self._cpu_time() - started_at
        if self._cpu_since_pause >= MAX_CPU_SECONDS:
            self._pause(PAUSE_RATIO * self._cpu_since_pause)
            self._cpu_since_pause = 0.0

    def next_patches(self) -> tuple[DomPatch, ...]:
        """Return the patches since the previous call, or since the cursor of the reader.

        The current HTML then counts as sent to the reader.
        """
        started_at = self._cpu_time()
        new_block = self._open_block.html
        patches = None
        if self._reader_state:
            closed_count, old_block = self._reader_state
            if (
                closed_count == len(self._closed_blocks)
                and old_block.open_depth
                and new_block.frozen_html.startswith(old_block.frozen_html)
            ):
                new_html = new_block.frozen_html[len(old_block.frozen_html) :] + new_block.open_html
                patches = diff(old_block.open_html, new_html, old_block.open_depth)
            else:
                patches = diff(
                    old_block.full_html,
                    "".join(self._closed_blocks[closed_count:]) + new_block.full_html,
                )
        self._reader_state = len(self._closed_blocks), new_block
        self._pause_if_due(started_at)
        return _replace_all(self.html) if patches is None else patches

    def final_patches(self, final_html: str) -> tuple[DomPatch, ...] | None:
        """Return the patches to the final HTML; None if the HTML of the reader is not known."""
        if not self._reader_state:
            return None
        closed_count, old_block = self._reader_state
        closed_html = "".join(self._closed_blocks[:closed_count])
        patches = (
            diff(old_block.full_html, final_html[len(closed_html) :])
            if final_html.startswith(closed_html)
            else None
        )
        return _replace_all(final_html) if patches is None else patches


def _replace_all(html: str) -> tuple[DomPatch, ...]:
    return (DomPatch(0, "innerHTML", html),)
