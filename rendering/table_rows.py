"""Rows of tables that have more pipes than their table has columns.

In GFM, each pipe ends a cell, even in code, and the cells that are too many are dropped.
"""

from __future__ import annotations

import re

# Stands in for a pipe that ends no cell.
PIPE = "\ue00c"

_MARK = re.compile(r"(`+|\$+|\\[^`]|\|)")
_BEFORE_ROW = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*+")


def keep_cells(text: str) -> str:
    """Replace the pipes that would begin too many cells; the number of lines stays the same."""
    lines = text.split("\n")
    columns = 0
    for number, line in enumerate(lines):
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif "|" in row and "-" in row and not row.strip("|:- \t"):
            columns = row.strip("| \t").count("|") + 1
            if number:
                lines[number - 1] = _keep_cells_of(lines[number - 1], columns)
        elif columns:
            lines[number] = _keep_cells_of(line, columns)
    return "\n".join(lines)


def _keep_cells_of(row: str, columns: int) -> str:
    """Replace first the pipes in code and formulas, then those of the last cells."""
    if row.strip(" \t>|").count("|") < columns:
        return row
    parts = _MARK.split(row)
    pipes = [index for index, part in enumerate(parts) if part == "|"]
    end = len(parts)
    while pipes and not "".join(parts[pipes[-1] + 1 : end]).strip(" \t"):
        end = pipes.pop()
    if pipes and _BEFORE_ROW.fullmatch("".join(parts[: pipes[0]])):
        del pipes[0]
    excess = len(pipes) + 1 - columns
    if excess > 0:
        inside = _pipes_in_code_and_formulas(parts)
        for index in [*inside, *(pipe for pipe in reversed(pipes) if pipe not in inside)][:excess]:
            parts[index] = PIPE
    return "".join(parts)


def _pipes_in_code_and_formulas(parts: list[str]) -> dict[int, None]:
    last = {part: index for index, part in enumerate(parts)}
    inside: dict[int, None] = {}
    closing = ""
    for index, part in enumerate(parts):
        if closing:
            if part == closing:
                closing = ""
            elif part == "|":
                inside[index] = None
        elif part[:1] in ("`", "$") or part == "\\(":
            mark = "\\)" if part == "\\(" else part
            closing = mark if last.get(mark, 0) > index else ""
    return inside
