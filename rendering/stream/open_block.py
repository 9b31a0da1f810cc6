"""The block of a reply that is open: the last one, which may become anything yet."""

from __future__ import annotations

import re
from typing import NamedTuple

from rendering.formulas import Room
from rendering.preprocess import are_too_many, prepared
from rendering.render import plain, render, rendered
from rendering.stream.block_boundaries import Outline, outline
from rendering.stream.incomplete_syntax import without_begun_fence, without_begun_link

# Beyond so many characters a list is rendered item by item, code and tables line by line.
LONG = 600
# Beyond so many, what is open is rendered anew only when it has grown by a part of itself.
VERY_LONG = 4_000
PART = 1 / 64
# Beyond so many, it is shown as plain text, and less often: nobody writes such a paragraph.
MONSTROUS = 32_000
LARGE_PART = 1 / 4

_BEGIN = re.compile(
    r'<([uo]l)[^>]*>\n?|<div class="code"[^>]*><pre[^>]*><(code)>'
    r'|<section class="table"[^>]*><table><thead>.*?</thead><(tbody)>\n?',
    re.DOTALL,
)
# How many elements each leaves open.
_OPENED = {"ul": 1, "ol": 1, "code": 3, "tbody": 3}
_FENCE = re.compile(r"`{3,}|~{3,}")
_END_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)


class Html(NamedTuple):
    """The HTML of an open block: `frozen` stays, and leaves `opened` elements open."""

    frozen: str = ""
    opened: int = 0
    rest: str = ""

    @property
    def whole(self) -> str:
        """Return it in one piece."""
        return self.frozen + self.rest


class Block:
    """Take pieces of Markdown, give away the blocks that they close, and show the open one."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        # To render is most of the work, and whoever joins late needs the last state alone.
        self._html: Html | None = Html()
        # The source is `_before`, which is rendered for good, and `_tail`, which means the same
        # after `_context`; `_seen` of it are shown.
        self._before = self._context = self._tail = self._seen = ""
        self._held = ""
        self._frozen = ""
        self._opened = 0
        self._plain = self._fenced = False
        # For formulas: in this block, and in what comes after the part of it that is frozen.
        self._room = self._rest = Room()

    @property
    def html(self) -> Html:
        """Return the HTML of the open block."""
        if self._html is None:
            self._html = self._shown()
        return self._html

    def write(self, text: str, *, looks: bool = False) -> str:
        """Take a piece, and return the HTML of what it closes.

        What is long is looked through only when it has grown by a part, or when `looks` says so.
        """
        text = self._held + text
        # What ends a line may be half of what ends it.
        self._held = "\r" if text.endswith("\r") else ""
        self._tail += text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        length = len(self._tail)
        part = LARGE_PART if length > MONSTROUS or self._plain else PART
        if not looks and length > VERY_LONG and length - len(self._seen) < length * part:
            return ""
        found = outline(prepared(self._context + self._tail))
        closed = self._close(found) if found.blocks and found.blocks[-1] else ""
        too_wide = found.table and self._is_too_wide()
        if len(self._tail) > LONG and not (found.deep or too_wide):
            self._freeze(found)
        self._plain, self._fenced = found.deep or too_wide, found.fenced
        self._seen = self._tail
        self._html = None
        return closed

    def _is_too_wide(self) -> bool:
        """Tell whether the open table is too much, without looking through all of it again."""
        columns = max(row.count("|") for row in (self._context or self._tail).split("\n", 2)[:2])
        rows = self._before.count("\n") + self._tail.count("\n")
        return are_too_many(columns, columns * rows)

    def _close(self, found: Outline) -> str:
        """Render for good what stands before the last block."""
        end = _line(self._context + self._tail, found.blocks[-1]) - len(self._context)
        source = self._before + self._tail[:end]
        self._tail = self._tail[end:]
        self._before = self._context = self._frozen = ""
        self._opened = 0
        html = render(source, self.scope, self._room)
        self._room = self._rest = self._room.without(html)
        return html

    def _freeze(self, found: Outline) -> None:
        """Render for good, as long as the block is open, all but the last item or line."""
        context, begin, end = "", 0, 0
        if len(found.items) > 1:
            end = _line(self._tail, found.items[-1] - found.blocks[-1])
        elif found.fenced and _FENCE.match(self._context or self._tail):
            context = self._context or self._tail[: self._tail.index("\n") + 1]
            begin = 0 if self._context else len(context)
            end = 0 if _END_FENCE.search(self._tail, begin) else self._tail.rfind("\n") + 1
        elif found.table and (self._context or self._tail.count("\n") > 1):
            context = self._context or self._tail[: _line(self._tail, 2)]
            begin = 0 if self._context else len(context)
            end = self._tail.rfind("\n") + 1
        if end <= begin:
            return
        html = self._html_of(context + self._tail[begin:end])
        if begun := _BEGIN.match(html):
            inside = begun.end() if self._frozen else 0
            name = begun[begun.lastindex or 1]
            new = html[inside : html.rindex(f"</{name}>")]
            self._frozen += new
            self._rest = self._rest.without(new)
            self._opened = _OPENED[name]
            self._before += self._tail[:end]
            self._context, self._tail = context, self._tail[end:]

    def _shown(self) -> Html:
        if self._plain or len(self._seen) > MONSTROUS:
            return Html(rest=plain(self._before + self._seen))
        tail = without_begun_fence(self._seen) if self._context else self._seen
        if not self._fenced:
            tail = without_begun_link(tail)
        html = self._html_of(self._context + tail)
        if not self._frozen:
            return Html(rest=html)
        if begun := _BEGIN.match(html):
            return Html(self._frozen, self._opened, html[begun.end() :])
        return Html(rest=self._html_of(self._before + self._seen))

    def _html_of(self, source: str) -> str:
        return rendered(prepared(source), self.scope, complete=False, room=self._rest)


def _line(text: str, number: int) -> int:
    """Return where a line begins, counted from 0."""
    place = 0
    for _ in range(number):
        place = text.index("\n", place) + 1
    return place
