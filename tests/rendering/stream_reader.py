"""Somebody who follows a reply while it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import Tag

from chat.log.entries import Batch, Delta, Entry
from rendering.render import render
from rendering.stream.dom_patch import DomPatch
from rendering.stream.incremental import IncrementalRenderer
from tests.support.html import read
from tests.support.turn_view import Shown
from web.streaming import htmx_frames
from web.streaming.live_rendering import append_batch

AROUND = re.compile(
    r"\s*(</?(?:blockquote|div|h[3-6]|hr|li|[ou]l|p|pre|section|table|tbody|t[dhr]|thead|br)\b[^>]*>)\s*"
)


class Reader:
    """A page that follows a reply, and counts what it is sent."""

    def __init__(self, after: int = 0, html: str = "") -> None:
        self.draft = IncrementalRenderer("x", after)
        self.page = Shown("x")
        self.page.reply.extend(list(read(f"<pre>{html}</pre>").pre.contents))
        self.sent = 0
        self.anew = 0
        self.wrong: list[tuple[str, str]] = []

    def hear(self, log: Sequence[Entry], until: int) -> None:
        """Read the log up to an entry, and show it."""
        append_batch(self.draft, Batch(0, until, tuple(log[:until])))
        self._change(self.draft.next_patches())

    def end(self, html: str) -> None:
        """Show the final HTML."""
        self._change(self.draft.final_patches(html) or ())

    def _change(self, changes: Sequence[DomPatch]) -> None:
        self.sent += sum(len(change.html) for change in changes)
        self.anew += any((change.depth, change.swap) == (0, "innerHTML") for change in changes)
        self.page.change(read(htmx_frames.render_patches(1, changes)))

    def compare(self, html: str) -> None:
        """Note what the page shows where it should show other HTML."""
        if self.html != plain(html):
            self.wrong.append((self.html, plain(html)))

    @property
    def html(self) -> str:
        """Return what the page shows."""
        return plain_of(self.page.reply)


def plain(html: str) -> str:
    """Leave out the white space around blocks, which nobody sees."""
    return plain_of(read(f"<article>{html}</article>").article)


def plain_of(article: Tag) -> str:
    return AROUND.sub(r"\1", article.decode_contents()).strip()


def cut(text: str, sizes: Sequence[int]) -> list[Entry]:
    """Make a log of a text, of pieces in these sizes, again and again."""
    log: list[Entry] = []
    while text:
        size = sizes[len(log) % len(sizes)]
        log.append(Delta(text[:size]))
        text = text[size:]
    return log


def follow(text: str, sizes: Sequence[int]) -> Reader:
    """Follow a reply to its end, and note where the page differs from the rendered draft."""
    reader = Reader()
    log = cut(text, sizes)
    for number in range(1, len(log) + 1):
        reader.hear(log, number)
        reader.compare(reader.draft.html)
    whole = render(text, "x")
    reader.end(whole)
    reader.compare(whole)
    return reader


LINE = "- item {} with some **words** and `code` that go on\n"
LONG = {
    "list": "".join(LINE.format(number) for number in range(100)),
    "code": "```python\n" + "    value = compute(other, 'text')  # step\n" * 120 + "```\n\nDone.",
    "prose": "\n\n".join(["A paragraph of some *length*, which says nothing at all. " * 8] * 12),
    "table": "a | b\n:-:|---\n" + "some *words* | and `code` here\n" * 160,
}
