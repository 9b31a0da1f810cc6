"""A simulated page that follows a reply during streaming."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bs4 import Tag

from tests.support.html import parse_html
from tests.support.turn_dom import TurnDom
from twindow.rendering.render import render
from twindow.rendering.stream.dom_patch import DomPatch
from twindow.rendering.stream.incremental import IncrementalRenderer
from twindow.web.streaming import htmx_frames

BLOCK_TAG_WHITESPACE = re.compile(
    r"\s*(</?(?:blockquote|div|h[3-6]|hr|li|[ou]l|p|pre|section|table|tbody|t[dhr]|thead|br)\b[^>]*>)\s*"
)


class StreamReader:
    """A page that applies the patches of a reply, and counts the characters it receives."""

    def __init__(self) -> None:
        self.renderer = IncrementalRenderer("x")
        self.page = TurnDom("x")
        self.sent_characters = 0
        self.full_replacements = 0
        self.mismatches: list[tuple[str, str]] = []

    def read_text(self, text: str) -> None:
        """Render another piece of the reply, and apply the patches."""
        self.renderer.append(text)
        self._apply_patches(self.renderer.next_patches())

    def finish(self, html: str) -> None:
        """Apply the patches that lead to the final HTML."""
        self._apply_patches(self.renderer.final_patches(html))

    def _apply_patches(self, patches: Sequence[DomPatch]) -> None:
        self.sent_characters += sum(len(change.html) for change in patches)
        self.full_replacements += any(
            (change.depth, change.swap) == (0, "updateInner") for change in patches
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


def split_text(text: str, sizes: Sequence[int]) -> list[str]:
    """Split a text into pieces of the given sizes, which are used cyclically."""
    pieces: list[str] = []
    while text:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def render_running(pieces: Iterable[str]) -> str:
    """Return the HTML of a running reply from its pieces."""
    renderer = IncrementalRenderer("x")
    for piece in pieces:
        renderer.append(piece)
    renderer.next_patches()
    return renderer.html.full_html


def follow_reply(text: str, sizes: Sequence[int]) -> StreamReader:
    """Follow a reply to its end, and record where the page differs from the rendered HTML."""
    reader = StreamReader()
    for piece in split_text(text, sizes):
        reader.read_text(piece)
        reader.record_mismatch(reader.renderer.html.full_html)
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
