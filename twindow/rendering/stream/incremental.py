"""HTML of a reply while it is written. Closed blocks are rendered only once.

A block is closed when another block begins. Later text changes a closed block only if the text
defines a reference that the block uses. When the reply ends, the whole text is rendered again,
which corrects such blocks.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from twindow.rendering.render import MAX_MARKDOWN_CHARACTERS, max_html_length
from twindow.rendering.stream.dom_patch import DomPatch, diff
from twindow.rendering.stream.open_block import BlockHtml, OpenBlock

logger = logging.getLogger(__name__)

# Number of characters that are parsed at once.
CHUNK_LENGTH = 4_000


class ReplyHtml(NamedTuple):
    """HTML of a reply at one moment: closed blocks, and the block that is still open.

    `blocks` may grow afterwards; only the first `closed_count` items are a part of this HTML.
    """

    blocks: Sequence[str] = ()
    closed_count: int = 0
    open_block: BlockHtml = BlockHtml()

    @property
    def closed_blocks(self) -> Sequence[str]:
        """Return the HTML of the closed blocks, in pieces."""
        return self.blocks[: self.closed_count]

    @property
    def open_html(self) -> str:
        """Return the HTML of the open block."""
        return self.open_block.full_html

    @property
    def is_empty(self) -> bool:
        """Return whether there is no HTML yet."""
        return not (self.closed_count or self.open_block.length)

    @property
    def full_html(self) -> str:
        """Return the HTML in one piece."""
        return "".join(self.closed_blocks) + self.open_html


class IncrementalRenderer:
    """Renders a growing reply, and returns the patches from one state of its HTML to the next.

    `append` queues text, and `process_chunk` does the expensive part, so that the caller can pause
    between chunks. `html` is the state after the last call of `next_patches`; at first, it is
    empty.
    """

    def __init__(self, scope: str) -> None:
        self._chunks: deque[tuple[str, bool]] = deque()
        self._length = 0
        self._open_block = OpenBlock(scope)
        self._closed_blocks: list[str] = []
        self._closed_length = 0
        self._is_stopped = False
        self.html = ReplyHtml()

    @property
    def html_length(self) -> int:
        """Return the length of `html`."""
        return self._closed_length + self.html.open_block.length

    def append(self, text: str) -> None:
        """Append the text of the next entry of the log."""
        for start in range(0, len(text), CHUNK_LENGTH):
            end = start + CHUNK_LENGTH
            self._chunks.append((text[start:end], 0 < start < len(text) <= end))

    @property
    def has_chunks(self) -> bool:
        """Return whether `process_chunk` has work to do."""
        return bool(self._chunks)

    def process_chunk(self) -> None:
        """Parse the next chunk, and render the blocks that it closes."""
        text, force = self._chunks.popleft()
        self._length += len(text)
        # If the text or its HTML is too long, the HTML stays unchanged until the reply ends, and
        # becomes plain text then.
        self._is_stopped |= (
            self._length > MAX_MARKDOWN_CHARACTERS
            or self._closed_length > max_html_length(self._length)
        )
        if self._is_stopped:
            return
        if closed_html := self._open_block.append(text, force=force):
            self._closed_blocks.append(closed_html)
            self._closed_length += len(closed_html)

    def next_patches(self) -> tuple[DomPatch, ...]:
        """Render everything that was appended, and return the patches from the previous state."""
        while self._chunks:
            self.process_chunk()
        old, new_block = self.html, self._open_block.html
        self.html = ReplyHtml(self._closed_blocks, len(self._closed_blocks), new_block)
        return _patches_or_all(lambda: self._diff(old), lambda: self.html.full_html)

    def _diff(self, old: ReplyHtml) -> tuple[DomPatch, ...] | None:
        old_block, new_block = old.open_block, self.html.open_block
        if (
            old.closed_count == self.html.closed_count
            and old_block.open_depth
            and new_block.frozen_html.startswith(old_block.frozen_html)
        ):
            new_html = new_block.frozen_html[len(old_block.frozen_html) :] + new_block.open_html
            return diff(old_block.open_html, new_html, old_block.open_depth)
        new_html = "".join(self._closed_blocks[old.closed_count :]) + new_block.full_html
        return diff(old_block.full_html, new_html)

    def final_patches(self, final_html: str) -> tuple[DomPatch, ...]:
        """Return the patches from the last state to the final HTML."""
        closed_html, open_html = "".join(self.html.closed_blocks), self.html.open_html
        if not final_html.startswith(closed_html):
            return _replace_all(final_html)
        return _patches_or_all(
            lambda: diff(open_html, final_html[len(closed_html) :]), lambda: final_html
        )


def _patches_or_all(
    compare: Callable[[], tuple[DomPatch, ...] | None], build_html: Callable[[], str]
) -> tuple[DomPatch, ...]:
    """Return the patches of a comparison, or one that replaces all if the comparison fails."""
    try:
        patches = compare()
    except Exception:
        logger.exception("Could not compare two states of a reply.")
        patches = None
    return _replace_all(build_html()) if patches is None else patches


def _replace_all(html: str) -> tuple[DomPatch, ...]:
    return (DomPatch(0, "updateInner", html),)
