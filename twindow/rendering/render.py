"""Rendering of Markdown as safe HTML. Replies are untrusted input."""

from __future__ import annotations

import re

import nh3

from twindow.core.panics import panics_as_errors
from twindow.rendering import code_highlighting, footnotes, formulas, links
from twindow.rendering.formulas import MathBudget
from twindow.rendering.images import replace_images, shorten_data
from twindow.rendering.parser import parser_html
from twindow.rendering.placeholders import parse_with_definitions, protect, restore
from twindow.rendering.source_limits import has_too_many_cells, is_too_deep, normalize_line_ends

# Increase this version when the HTML of a text changes, so that cached HTML is rendered again.
RENDERER_VERSION = 9

MAX_MARKDOWN_CHARACTERS = 500_000
# A text is shown as plain text if its HTML is longer than `MAX_HTML_RATIO` times the text, plus
# `MIN_HTML_LIMIT`.
MAX_HTML_RATIO = 4
MIN_HTML_LIMIT = 65_536
DEFAULT_BUDGET = MathBudget()

_HEADING = re.compile(r"<(/?)h([1-6])>")
_WIDE_NUMBER = re.compile(r'<ol start=(?="\d{3,}")')
_TASK_BOX = re.compile('(<li class="task">(?:<p>)?)([☑☐])')
_CHECKBOX = re.compile(r'<li><input type="checkbox"( checked="")? disabled="" /> ?(\n<p>)?')
# Firefox and WebKit scroll no `<math>`. A block needs no line breaks around it.
_BLOCK_FORMULA = re.compile(r'(?:<br>\s*)?(<math display="block".*?</math>)(?:\s*<br>)?', re.DOTALL)
_CODE_ELEMENT = re.compile(r"<code>.*?</code>", re.DOTALL)
# An "&" is literal unless "#", a letter or a digit follows (see "ambiguous ampersand" in the HTML
# standard). A literal "&" is not escaped, because that would make it five times as long.
_REFERENCE_START = re.compile(r"&(?=[#A-Za-z0-9])")
# The bidirectional controls of Unicode, which can make code look different from the code that runs.
_BIDI_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_INLINE_TAGS = {"a", "br", "code", "del", "em", "kbd", "strong", "sub", "sup"}
_BLOCK_TAGS = {"blockquote", "div", "h3", "h4", "h5", "h6", "hr", "p", "pre"}
_LIST_TAGS = {"li", "ol", "ul"}
_TABLE_TAGS = {"table", "tbody", "td", "th", "thead", "tr"}

# Images are not allowed, because the host of an image would learn what a person reads. The
# attributes id, hx-* and style are not allowed either.
_cleaner = nh3.Cleaner(
    tags=_INLINE_TAGS | _BLOCK_TAGS | _LIST_TAGS | _TABLE_TAGS | formulas.TAGS,
    clean_content_tags={"script", "style"},
    attributes={
        "*": set(),  # no title: the portal tells the host of a link there
        "a": {"href"},
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


@panics_as_errors
def render(text: str, scope: str = "", budget: MathBudget = DEFAULT_BUDGET) -> str:
    """Render Markdown; raw HTML in it is shown as text.

    `scope` makes the ids of footnotes unique among the replies of a page. A text that is too long
    or too deep to be sanitised quickly, or whose HTML would be too large, is shown as plain text.
    """
    text = shorten_data(text)
    html_limit = max_html_length(len(text))
    if len(text) > MAX_MARKDOWN_CHARACTERS or has_too_many_cells(text, max_cells(len(text))):
        return render_plain(text)
    clean_html = render_part(text, scope, budget=budget)
    return clean_html if len(clean_html) <= html_limit else render_plain(text)


@panics_as_errors
def render_part(
    text: str, scope: str, *, is_complete: bool = True, budget: MathBudget = DEFAULT_BUDGET
) -> str:
    """Render Markdown that is not too long; what is nested too deep is shown as plain text.

    Code is highlighted only if the text is complete. `budget` limits the formulas.
    """
    text = normalize_line_ends(text)
    source = protect(text, is_growing=not is_complete)
    parsed_html = parse_with_definitions(source, parser_html)
    if is_too_deep(parsed_html):
        return render_plain(text)
    clean_html = _cleaner.clean(_adapt_parser_html(restore(parsed_html), budget))
    linked_html = links.annotate_links(footnotes.add_links(_prepare_lists(clean_html), scope))
    return _make_wide_parts_scrollable(
        _reveal_bidi_in_code(
            code_highlighting.highlight_blocks(linked_html, should_highlight=is_complete)
        )
    )


def max_html_length(text_length: int) -> int:
    """Return the maximum length of the HTML of a text, in characters."""
    return MAX_HTML_RATIO * text_length + MIN_HTML_LIMIT


def max_cells(text_length: int) -> int:
    """Return the maximum number of table cells of a text."""
    return max_html_length(text_length) // len("<td></td>")


def render_plain(text: str) -> str:
    """Return the source text as preformatted HTML."""
    escaped = _REFERENCE_START.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return f"<pre>{_reveal_bidi_controls(escaped)}</pre>\n"


def _adapt_parser_html(html: str, budget: MathBudget) -> str:
    """Convert the parser's HTML to the elements that the sanitiser accepts."""
    if "<h" in html:
        html = _HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + 2)}>", html)
    if "<img" in html:
        html = replace_images(html)
    html = _CHECKBOX.sub(_task_item, html)
    # A growing table has its body from the start, so that rows can be appended.
    html = html.replace("</thead></table>", "</thead><tbody></tbody></table>")
    if "data-math-style" in html:
        html = formulas.insert_mathml(html, budget)
    return html


def _task_item(match: re.Match[str]) -> str:
    return f'<li class="task">{match[2] or ""}{"☑" if match[1] else "☐"} '


def _prepare_lists(clean_html: str) -> str:
    """Add what lists and quotations need: the direction of the text, wide numbers, task boxes."""
    clean_html = _WIDE_NUMBER.sub(r'<ol class="wide" start=', clean_html)
    clean_html = _TASK_BOX.sub(r'\1<span class="box" data-box="\2">\2</span>', clean_html)
    for tag in ("<ul", "<ol", "<blockquote"):
        clean_html = clean_html.replace(tag, f'{tag} dir="auto"')
    return clean_html


def _make_wide_parts_scrollable(clean_html: str) -> str:
    """Make tables and block formulas scrollable: they may be wider than the page."""
    if "<math" in clean_html:
        clean_html = _BLOCK_FORMULA.sub(r'<bdi class="formula" tabindex="0">\1</bdi>', clean_html)
    clean_html = clean_html.replace(
        "<table>", '<section class="table" dir="auto" tabindex="0"><table>'
    )
    return clean_html.replace("</table>", "</table></section>")


def _reveal_bidi_in_code(clean_html: str) -> str:
    """Make the bidirectional controls in code visible."""
    if clean_html.isascii() or not _BIDI_CONTROLS.search(clean_html):
        return clean_html
    return _CODE_ELEMENT.sub(lambda code: _reveal_bidi_controls(code[0]), clean_html)


def _reveal_bidi_controls(text: str) -> str:
    return _BIDI_CONTROLS.sub(lambda control: f"[U+{ord(control[0]):04X}]", text)
