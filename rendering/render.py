"""Markdown → HTML that is safe to show. A reply is foreign text: it may only ever be text."""

from __future__ import annotations

import html
import re

import nh3
import pyromark

from rendering import code_highlighting, footnotes, formulas, links
from rendering.formulas import Room
from rendering.preprocess import OPTIONS, has_too_many_cells, is_deep, prepared

MAX_LENGTH = 500_000
ROOM = Room()

_HEADING = re.compile(r"<(/?)h([1-6])>")
_IMAGE = re.compile(r'<img src="[^"]*" alt="([^"]*)"[^>]*>')
_ALIGN = re.compile(r' style="text-align: (left|center|right)"')
_BOX = re.compile(r'<li>(\s*(?:<p>)?)<input disabled="" type="checkbox"( checked="")?/>\n?')
_CODE = re.compile(r"<code>.*?</code>", re.DOTALL)
# The bidirectional controls of Unicode: code that shows in another order than it runs deceives.
_TURNS_ROUND = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# No image: fetching one would tell its host what was read. No id, no hx-*, no style.
_cleaner = nh3.Cleaner(
    tags={
        *("a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6"),
        *("hr", "li", "ol", "p", "pre", "strong", "sup", "table", "tbody", "td", "th", "thead"),
        *("tr", "ul", *formulas.TAGS),
    },
    clean_content_tags={"script", "style"},
    attributes={
        "a": {"href", "title"},
        "ol": {"start"},
        "code": {"class"},
        **formulas.ATTRIBUTES,
    },
    tag_attribute_values={
        "li": {"class": {"task"}},
        **{tag: {"align": {"left", "center", "right"}} for tag in ("td", "th")},
    },
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def render(text: str, scope: str = "", room: Room = ROOM) -> str:
    """Render Markdown; raw HTML in it is shown as the text it is.

    `scope` sets its footnotes apart from those of other replies on the page. What is too long or
    too deep to be cleaned in a moment is shown as plain text.
    """
    if len(text) > MAX_LENGTH:
        return plain(text)
    source = prepared(text)
    if is_deep(source) or has_too_many_cells(source):
        return plain(text)
    return rendered(source, scope, room=room)


def rendered(source: str, scope: str, *, complete: bool = True, room: Room = ROOM) -> str:
    """Render Markdown that holds no HTML, and is neither long nor deep.

    The parts of code are marked when it is complete; there is room for so many formulas.
    """
    found = pyromark.html(source, options=OPTIONS)
    cleaned = _cleaner.clean(_without_what_is_pyromarks(found, room))
    told = links.told(footnotes.linked(cleaned, scope))
    return _with_wide_parts(_with_marked_code(code_highlighting.blocks(told, marked=complete)))


def plain(text: str) -> str:
    """Show text as it was written."""
    return f"<pre>{escaped(text)}</pre>\n"


def escaped(text: str) -> str:
    """Escape text that is shown as code."""
    return _marked(html.escape(text, quote=False))


def _without_what_is_pyromarks(found: str, room: Room) -> str:
    """Bring what pyromark writes into the form that the cleaner lets through."""
    if "<h" in found:
        found = _HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + 2)}>", found)
    if "<img" in found:
        found = _IMAGE.sub(r"\1", found)
    if "<input" in found:
        found = _BOX.sub(_task, found)
    if "text-align" in found:
        found = _ALIGN.sub(r' align="\1"', found)
    if 'class="math' in found:
        found = formulas.mathml(found, room)
    if 'class="footnote' in found:
        found = footnotes.unlinked(found)
    return found


def _task(box: re.Match[str]) -> str:
    return f'<li class="task">{box[1]}{"☑" if box[2] else "☐"} '


def _with_wide_parts(cleaned: str) -> str:
    """Let tables and formulas scroll that are wider than the page."""
    cleaned = cleaned.replace('<math display="block"', '<math tabindex="0" display="block"')
    if "<table>" not in cleaned:
        return cleaned
    cleaned = cleaned.replace("<table>", '<section class="table" tabindex="0"><table>')
    return cleaned.replace("</table>", "</table></section>")


def _with_marked_code(cleaned: str) -> str:
    """Show in code what would turn the order of its characters round."""
    if not _TURNS_ROUND.search(cleaned):
        return cleaned
    return _CODE.sub(lambda code: _marked(code[0]), cleaned)


def _marked(text: str) -> str:
    return _TURNS_ROUND.sub(lambda control: f"[U+{ord(control[0]):04X}]", text)
