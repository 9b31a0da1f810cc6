"""The open block of a growing reply: the last one, which later text can still change."""

from __future__ import annotations

import logging
import re
from typing import NamedTuple

from twindow.rendering.formulas import MathBudget
from twindow.rendering.images import shorten_data
from twindow.rendering.placeholders import protect
from twindow.rendering.render import max_cells, render, render_part, render_plain
from twindow.rendering.source_limits import has_too_many_cells, is_table_too_large
from twindow.rendering.stream.block_boundaries import (
    BlockBoundaries,
    begins_paragraph,
    find_boundaries,
)
from twindow.rendering.stream.incomplete_syntax import (
    strip_incomplete_fence,
    strip_incomplete_inline,
    strip_incomplete_line,
)

logger = logging.getLogger(__name__)

COULD_NOT_RENDER = "Could not render a part of a reply."

# Above this length, lists are rendered item by item, code and tables line by line.
FREEZE_LENGTH = 600
# Above this length, the block is rendered again only when it has grown by a part of its length.
THROTTLE_LENGTH = 4_000
MIN_GROWTH_RATIO = 1 / 64
# A block above this length is closed and shown as plain text, because parsing it again and again
# would delay other people.
MAX_RENDERED_LENGTH = 24_000

_OPENING_TAGS = re.compile(
    r'<([uo]l)[^>]*>\n?|<div class="code"[^>]*><pre[^>]*><(code)>'
    r'|<section class="table"[^>]*><table>\s*<thead>.*?</thead>\s*<(tbody)>\n?',
    re.DOTALL,
)
# The number of elements that a match of `_OPENING_TAGS` leaves open, by the innermost tag.
_OPEN_DEPTHS = {"ul": 1, "ol": 1, "code": 3, "tbody": 3}
_FENCE = re.compile(r"`{3,}|~{3,}")
_CLOSING_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)


class BlockHtml(NamedTuple):
    """The HTML of an open block; `frozen_html` is final and leaves `open_depth` elements open."""

    frozen_html: str = ""
    open_depth: int = 0
    open_html: str = ""

    @property
    def full_html(self) -> str:
        """Return the HTML in one piece."""
        return self.frozen_html + self.open_html

    @property
    def length(self) -> int:
        """Return the length of the HTML."""
        return len(self.frozen_html) + len(self.open_html)


class OpenBlock:
    """Accumulator of Markdown that holds the open block, and returns the blocks that are closed."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        # The HTML is built on demand, because rendering is most of the work, and readers who join
        # late need only the last state.
        self._cached_html: BlockHtml | None = BlockHtml()
        # The source is `_frozen_source`, whose HTML is final, followed by `_tail`. The opening
        # fence or table head (`_context`) is parsed again with `_tail`. `_rendered_tail` is
        # displayed.
        self._frozen_source = self._context = self._tail = self._rendered_tail = ""
        self._pending_cr = ""
        self._frozen_html = ""
        self._open_depth = 0
        self._is_plain = self._is_fenced_code = False
        # Formula budgets for the whole block, and for the part of the block that is not frozen.
        self._block_budget = self._tail_budget = MathBudget()

    @property
    def html(self) -> BlockHtml:
        """Return the HTML of the open block."""
        if self._cached_html is None:
            try:
                self._cached_html = self._build_html()
            except Exception:
                logger.exception(COULD_NOT_RENDER)
                self._show_plain()
                self._cached_html = self._build_html()
        return self._cached_html

    def _show_plain(self) -> None:
        """Show the block as plain text until more of it arrives."""
        self._is_plain = True
        self._rendered_tail = self._tail
        self._cached_html = None

    def append(self, text: str, *, force: bool = False) -> str:
        """Append a piece, and return the HTML of the blocks that it closes.

        A long block is parsed again only when it has grown by `MIN_GROWTH_RATIO` of its length, or
        if `force` is True.
        """
        text = self._pending_cr + text
        # A CR may be the first half of a CRLF.
        self._pending_cr = "\r" if text.endswith("\r") else ""
        self._tail += text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        if "base64," in self._tail:
            self._tail = shorten_data(self._tail)
        length = len(self._tail)
        if length > MAX_RENDERED_LENGTH:
            return self._close_as_text()
        if (
            not force
            and length > THROTTLE_LENGTH
            and length - len(self._rendered_tail) < length * MIN_GROWTH_RATIO
        ):
            return ""
        if "\n" not in text and self._rendered_tail and not begins_paragraph(self._tail):
            # Within a line, no block ends.
            self._rendered_tail, self._cached_html = self._tail, None
            return ""
        try:
            return self._parse()
        except Exception:
            logger.exception(COULD_NOT_RENDER)
            self._show_plain()
            return ""

    def _parse(self) -> str:
        """Parse the block, and return the HTML of the blocks that are closed."""
        if has_too_many_cells(self._context + self._tail, max_cells(len(self._tail))):
            return self._close_as_text()
        boundaries = find_boundaries(protect(self._context + self._tail, is_growing=True))
        closed_html = (
            self._close_blocks(boundaries)
            if boundaries.block_lines and boundaries.block_lines[-1]
            else ""
        )
        is_too_large = boundaries.is_table and self._is_table_too_large()
        if len(self._tail) > FREEZE_LENGTH and not is_too_large:
            self._freeze(boundaries)
        self._is_plain, self._is_fenced_code = is_too_large, boundaries.is_fenced_code
        self._rendered_tail = self._tail
        self._cached_html = None
        return closed_html

    def _is_table_too_large(self) -> bool:
        """Return whether the open table is too large, without scanning all of it again."""
        columns = max(row.count("|") for row in (self._context or self._tail).split("\n", 2)[:2])
        rows = self._frozen_source.count("\n") + self._tail.count("\n")
        return is_table_too_large(columns, columns * rows)

    def _close_blocks(self, boundaries: BlockBoundaries) -> str:
        """Remove the blocks before the last one, and return their final HTML."""
        end = _line_start(self._context + self._tail, boundaries.block_lines[-1]) - len(
            self._context
        )
        source = self._frozen_source + self._tail[:end]
        if len(source) > MAX_RENDERED_LENGTH:
            # The source is too long to render again, so its HTML stays until the reply ends.
            self._rendered_tail = self._tail[:end]
            html = self._build_html().full_html
        else:
            html = render(source, self.scope, self._block_budget)
        self._reset(self._tail[end:])
        self._block_budget = self._tail_budget = self._block_budget.subtract(html)
        return html

    def _close_as_text(self) -> str:
        """Remove the open block, and return it as plain text."""
        html = render_plain(self._frozen_source + self._tail)
        self._reset("")
        self._rendered_tail = ""
        self._cached_html = BlockHtml()
        return html

    def _reset(self, tail: str) -> None:
        self._tail = tail
        self._frozen_source = self._context = self._frozen_html = ""
        self._open_depth = 0

    def _freeze(self, boundaries: BlockBoundaries) -> None:
        """Freeze the HTML of all but the last item or line, for as long as the block is open."""
        context, start, end = "", 0, 0
        if len(boundaries.item_lines) > 1:
            end = _line_start(self._tail, boundaries.item_lines[-1] - boundaries.block_lines[-1])
        elif boundaries.is_fenced_code and _FENCE.match(self._context or self._tail):
            context = self._context or self._tail[: self._tail.index("\n") + 1]
            start = 0 if self._context else len(context)
            end = 0 if _CLOSING_FENCE.search(self._tail, start) else self._tail.rfind("\n") + 1
        elif boundaries.is_table and (self._context or self._tail.count("\n") > 1):
            context = self._context or self._tail[: _line_start(self._tail, 2)]
            start = 0 if self._context else len(context)
            end = self._tail.rfind("\n") + 1
        if end <= start:
            return
        html = self._render_source(context + self._tail[start:end])
        if opening := _OPENING_TAGS.match(html):
            content_start = opening.end() if self._frozen_html else 0
            tag_name = opening[opening.lastindex or 1]
            new_html = html[content_start : html.rindex(f"</{tag_name}>")]
            self._frozen_html += new_html
            self._tail_budget = self._tail_budget.subtract(new_html)
            self._open_depth = _OPEN_DEPTHS[tag_name]
            self._frozen_source += self._tail[:end]
            self._context, self._tail = context, self._tail[end:]

    def _build_html(self) -> BlockHtml:
        if self._is_plain:
            return BlockHtml(open_html=render_plain(self._frozen_source + self._rendered_tail))
        tail = strip_incomplete_fence(self._rendered_tail) if self._context else self._rendered_tail
        if not self._is_fenced_code:
            tail = strip_incomplete_inline(
                strip_incomplete_line(tail, in_table=bool(self._context))
            )
        html = self._render_source(self._context + tail)
        if not self._frozen_html:
            return BlockHtml(open_html=html)
        if opening := _OPENING_TAGS.match(html):
            return BlockHtml(self._frozen_html, self._open_depth, html[opening.end() :])
        source = self._frozen_source + self._rendered_tail
        render_html = render_plain if len(source) > MAX_RENDERED_LENGTH else self._render_source
        return BlockHtml(open_html=render_html(source))

    def _render_source(self, source: str) -> str:
        return render_part(source, self.scope, is_complete=False, budget=self._tail_budget)


def _line_start(text: str, line_number: int) -> int:
    """Return the offset of a line; lines are counted from 0."""
    offset = 0
    for _ in range(line_number):
        offset = text.index("\n", offset) + 1
    return offset
