"""Rows of tables that have more pipes than their table has columns.

In GFM, each pipe ends a cell, even in code, and the cells that are too many are dropped.
"""

from __future__ import annotations

import re

# Stands in for a pipe that ends no cell.
PIPE = "\ue00c"
# In longer rows, all cells are dropped that are too many.
_MAX_ROW_LENGTH = 2_000

_PIPE = re.compile(r"(?<!\\)\|")
_ROW_START = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*+\|?")
_CODE_OR_FORMULA = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$]+\$|\\\(.*?\\\)")


def keep_cells(text: str) -> str:
    """Replace the pipes that would begin too many cells; the number of lines stays the same."""
    lines = text.split("\n")
    columns = 0
    for number, line in enumerate(lines):
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif number and "|" in row and "-" in row and not row.strip("|:- \t"):
            columns = row.strip("| \t").count("|") + 1
            lines[number - 1] = _keep_cells_of(lines[number - 1], columns)
        elif columns and row.strip("|").count("|") >= columns:
            lines[number] = _keep_cells_of(line, columns)
    return "\n".join(lines)


def _keep_cells_of(row: str, columns: int) -> str:
    """Replace the pipes in code and formulas, then those of the last cell."""
    start, end = len(row) - len(_ROW_START.sub("", row, count=1)), len(row.rstrip("| \t"))
    cells = _PIPE.split(row[start:end])
    if len(cells) <= columns or len(row) > _MAX_ROW_LENGTH:
        return row
    cells = _PIPE.split(
        _CODE_OR_FORMULA.sub(lambda found: _PIPE.sub(PIPE, found[0]), row[start:end])
    )
    last_cell = PIPE.join(cells[columns - 1 :])
    return row[:start] + "|".join([*cells[: columns - 1], last_cell]) + row[end:]
