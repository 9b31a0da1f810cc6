"""A simulated page that follows a reply during streaming."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import Tag

from chat.log.entries import Batch, Delta, Entry
from rendering.render import render
from rendering.stream.dom_patch import DomPatch
from rendering.stream.incremental import IncrementalRenderer
from tests.support.html import parse_html
from tests.support.turn_dom import TurnDom
from web.streaming import htmx_frames
from web.streaming.live_rendering import append_batch

BLOCK_TAG_WHITESPACE = re.compile(
    r"\s*(</?(?:blockquote|div|h[3-6]|hr|li|[ou]l|p|pre|section|table|tbody|t[dhr]|thead|br)\b[^>]*>)\s*"
)


class StreamReader:
    """A page that applies the patches of a reply, and counts the characters it receives."""

    def __init__(self, after: int = 0, html: str = "") -> None:
        self.renderer = IncrementalRenderer("x", after)
        self.page = TurnDom("x")
        self.page.reply.extend(list(parse_html(f"<pre>{html}</pre>").pre.contents))
        self.sent_characters = 0
        self.full_replacements = 0
        self.mismatches: list[tuple[str, str]] = []

    def read_entries(self, log: Sequence[Entry], end: int) -> None:
        """Render the log up to entry number `end`, and apply the patches."""
        append_batch(self.renderer, Batch(0, end, tuple(log[:end])))
        self._apply_patches(self.renderer.next_patches())

    def finish(self, html: str) -> None:
        """Apply the patches that lead to the final HTML."""
        self._apply_patches(self.renderer.final_patches(html) or ())

    def _apply_patches(self, patches: Sequence[DomPatch]) -> None:
        self.sent_characters += sum(len(change.html) for change in patches)
        self.full_replacements += any(
            (change.depth, change.swap) == (0, "innerHTML") for change in patches
        )
        self.page.apply_frame(parse_html(htmx_frames.render_patches(1, patches)))

    def record_mismatch(self, html: str) -> None:
        """Record the HTML of the page and the expected HTML if they differ."""
        if self.html != normalize_html(html):
            self.mismatches.append((self.html, normalize_html(html)))

    @property
    def html(self) -> str:
        """Return the normalized HTML of the reply in the page."""
        return normalized_contents(self.page.reply)


def normalize_html(html: str) -> str:
    """Remove the invisible white space around block elements."""
    return normalized_contents(parse_html(f"<article>{html}</article>").article)


def normalized_contents(article: Tag) -> str:
    return BLOCK_TAG_WHITESPACE.sub(r"\1", article.decode_contents()).strip()


def split_into_deltas(text: str, sizes: Sequence[int]) -> list[Entry]:
    """Split a text into deltas of the given sizes, which are used cyclically."""
    log: list[Entry] = []
    while text:
        size = sizes[len(log) % len(sizes)]
        log.append(Delta(text[:size]))
        text = text[size:]
    return log


def follow_reply(text: str, sizes: Sequence[int]) -> StreamReader:
    """Follow a reply to its end, and record where the page differs from the rendered HTML."""
    reader = StreamReader()
    log = split_into_deltas(text, sizes)
    for number in range(1, len(log) + 1):
        reader.read_entries(log, number)
        reader.record_mismatch(reader.renderer.html)
    final_html = render(text, "x")
    reader.finish(final_html)
    reader.record_mismatch(final_html)
    return reader


LIST_ITEM = "- item {} with some **words** and `code` that go on\n"
LONG_REPLIES = {
    "list": "".join(LIST_ITEM.format(number) for number in range(100)),
    "code": "```python\n" + "    value = compute(other, 'text')  # step\n" * 120 + "```\n\nDone.",
    "prose": "\n\n".join(["A paragraph of some *length*, which says nothing at all. " * 8] * 12),
    "table": "a | b\n:-:|---\n" + "some *words* | and `code` here\n" * 160,
}
