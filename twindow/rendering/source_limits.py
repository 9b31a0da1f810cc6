"""Limits of Markdown sources: what is shown as plain text."""

from __future__ import annotations

import re
from itertools import accumulate

# nh3 takes quadratic time in the depth: forty kilobytes of "- " would block a worker for seconds.
MAX_DEPTH = 40
MAX_COLUMNS = 100
MAX_CELLS = 100_000

_TAG = re.compile(r"<(/?)([a-z]+[1-6]?)[^>]*>")
_VOID_TAGS = {"br", "hr", "img", "input"}


def normalize_line_ends(text: str) -> str:
    """Return the text with LF as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_too_deep(html: str) -> bool:
    """Return whether elements are nested too deep to be sanitised quickly."""
    if html.count("<") <= MAX_DEPTH:
        return False
    tags = (tag for tag in _TAG.finditer(html) if tag[2] not in _VOID_TAGS)
    depths = accumulate(-1 if tag[1] else 1 for tag in tags)
    return any(depth > MAX_DEPTH for depth in depths)


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
        elif "|" in row and not row.strip("|: \t\v\f-"):  # the delimiter row of a table
            columns = max(columns, row.count("|"))
        cells += columns
        if cells > limit or is_table_too_large(columns, cells):
            return True
    return False


def is_table_too_large(columns: int, cells: int) -> bool:
    """Return whether a table has more columns or cells than anybody would read."""
    return columns > MAX_COLUMNS or cells > MAX_CELLS
