"""Markdown → HTML that is safe to show. A reply is foreign text: it may only ever be text."""

from __future__ import annotations

import html
import re
from typing import Any

import nh3
import pyromark

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
)

# nh3 needs the square of the depth: forty kilobytes of "- " would hold everybody up for seconds.
MAX_DEPTH = 40
MAX_LENGTH = 100_000

_HEADING = re.compile(r"<(/?)h([1-6])>")
_IMAGE = re.compile(r'<img src="[^"]*" alt="([^"]*)"[^>]*>')

_CODE = re.compile(r"<code>.*?</code>", re.DOTALL)
# The bidirectional controls of Unicode: code that shows in another order than it runs deceives.
_TURNS_ROUND = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# No image: fetching one would tell its host what was read. No id, no hx-*, no style.
_cleaner = nh3.Cleaner(
    tags={
        *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("hr", "input", "li", "ol", "p", "pre", "strong", "table", "tbody", "td", "th"),
        *("thead", "tr", "ul"),
    },
    clean_content_tags={"script", "style"},
    attributes={"a": {"href", "title"}, "ol": {"start"}, "input": {"checked", "disabled"}},
    tag_attribute_values={"input": {"type": {"checkbox"}}},
    set_tag_attribute_values={"input": {"disabled": "", "type": "checkbox"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def render(text: str) -> str:
    """Render Markdown; raw HTML in it is shown as the text it is.

    What is too long or too deep to be cleaned in a moment is shown as plain text.
    """
    if len(text) > MAX_LENGTH or _depth(text) > MAX_DEPTH:
        return plain(text)
    rendered = pyromark.html(_without_html(text), options=_OPTIONS)
    return _with_marked_code(_cleaner.clean(_below_page_headings(_without_images(rendered))))


def plain(text: str) -> str:
    """Show text as it was written."""
    return f"<pre>{_marked(html.escape(text, quote=False))}</pre>\n"


def _depth(text: str) -> int:
    depth = deepest = 0
    for event, _ in pyromark.events_with_range(text, options=_OPTIONS):
        if isinstance(event, dict):
            depth += ("Start" in event) - ("End" in event)
            deepest = max(deepest, depth)
    return deepest


def _without_html(text: str) -> str:
    if "<" not in text:
        return text
    source = text.encode()
    parts: list[str] = []
    end = 0
    for event, place in pyromark.events_with_range(text, options=_OPTIONS):
        if not _is_html(event):
            continue
        parts.append(source[end : place["start"]].decode())
        parts.append(html.escape(source[place["start"] : place["end"]].decode(), quote=False))
        end = place["end"]
    parts.append(source[end:].decode())
    return "".join(parts)


def _is_html(event: Any) -> bool:
    return isinstance(event, dict) and bool(event.keys() & {"Html", "InlineHtml"})


def _below_page_headings(rendered: str) -> str:
    """Lower the headings of a reply: the page has its own first level."""
    return _HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + 2)}>", rendered)


def _without_images(rendered: str) -> str:
    """Keep what an image says, and leave the image where it is."""
    return _IMAGE.sub(r"\1", rendered)


def _with_marked_code(rendered: str) -> str:
    """Show in code what would turn the order of its characters round."""
    if not _TURNS_ROUND.search(rendered):
        return rendered
    return _CODE.sub(lambda code: _marked(code[0]), rendered)


def _marked(text: str) -> str:
    return _TURNS_ROUND.sub(lambda control: f"[U+{ord(control[0]):04X}]", text)
