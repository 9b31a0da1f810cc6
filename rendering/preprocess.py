"""Preprocessing of Markdown: raw HTML is escaped, and limits are checked."""

from __future__ import annotations

import html
import re
from functools import partial
from typing import Any

import pyromark

from rendering.formulas import brackets_to_dollars
from rendering.panics import panics_as_errors

MARKDOWN_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
)

# nh3 takes quadratic time in the depth: forty kilobytes of "- " would block a worker for seconds.
MAX_DEPTH = 40
MAX_COLUMNS = 100
MAX_CELLS = 100_000
# Escaping HTML may turn the text after it into HTML, so the text is escaped in several passes. If
# the last pass still finds HTML, every "<" is escaped, even in code.
MAX_ESCAPE_PASSES = 4

escape_html = partial(html.escape, quote=False)

_TAG_START = re.compile(r"<[A-Za-z/!?]")


@panics_as_errors
def preprocess(text: str) -> str:
    """Escape raw HTML, and put formulas between dollar signs; line numbers stay the same."""
    return escape_raw_html(brackets_to_dollars(normalize_line_ends(text)))


def normalize_line_ends(text: str) -> str:
    """Return the text with LF as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_too_deep(text: str) -> bool:
    """Return whether lists and quotes are nested too deep to be sanitised quickly."""
    depth = 0
    for event in pyromark.events(text, options=MARKDOWN_OPTIONS):
        if isinstance(event, dict):
            depth += ("Start" in event) - ("End" in event)
            if depth > MAX_DEPTH:
                return True
    return False


def has_too_many_cells(text: str, limit: int) -> bool:
    """Return whether the tables have too many columns, or more than `limit` cells together.

    Every row counts as a full one, because the parser adds missing cells.
    """
    if "|" not in text:
        return False
    columns = cells = 0
    for line in normalize_line_ends(text).split("\n"):
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif "|" in row and not row.strip("|: \t-"):  # the delimiter row of a table
            columns = max(columns, row.count("|"))
        cells += columns
        if cells > limit or is_table_too_large(columns, cells):
            return True
    return False


def is_table_too_large(columns: int, cells: int) -> bool:
    """Return whether a table has more columns or cells than anybody would read."""
    return columns > MAX_COLUMNS or cells > MAX_CELLS


def escape_raw_html(text: str) -> str:
    """Escape raw HTML, so that it is shown as text; line numbers stay the same."""
    for _ in range(MAX_ESCAPE_PASSES):
        if not _TAG_START.search(text):
            return text
        escaped_text = _escape_html_events(text)
        if escaped_text == text:
            return text
        # The parser may now recognise HTML in the text after the escaped HTML.
        text = escaped_text
    return text.replace("<", escape_html("<"))


def _escape_html_events(text: str) -> str:
    source = text.encode()
    parts: list[str] = []
    end = 0
    for event, span in pyromark.events_with_range(text, options=MARKDOWN_OPTIONS):
        if not is_html(event):
            continue
        parts.append(source[end : span["start"]].decode())
        parts.append(escape_html(source[span["start"] : span["end"]].decode()))
        end = span["end"]
    parts.append(source[end:].decode())
    return "".join(parts)


def is_html(event: Any) -> bool:
    """Return whether an event of pyromark is raw HTML."""
    return isinstance(event, dict) and ("Html" in event or "InlineHtml" in event)
