"""How Markdown is divided: its blocks, and what the last one is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pyromark

from rendering.preprocess import MAX_DEPTH, OPTIONS

# After a blank line; no list, no rule, nothing indented.
_BEGINS = re.compile(r"\n[ \t]*\n[^\W\d_][^\n]*$")


@dataclass(slots=True)
class Outline:
    """The lines, from 0, that blocks begin in, and the items of the last block.

    `fenced` tells whether the last one is code between fences, `table` whether it is a table.
    """

    blocks: list[int] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    fenced: bool = False
    table: bool = False
    deep: bool = False


def outline(source: str) -> Outline:
    """Divide Markdown, in one pass; what is too deep is not divided to its end.

    A last line that is not complete begins nothing, unless it is clear that it does not go on with
    what is before it.
    """
    found = Outline()
    text = source.encode()
    complete = len(text) if _BEGINS.search(source) else text.rfind(b"\n") + 1
    depth = 0
    places: list[int] = []
    items: list[int] = []
    for event, place in pyromark.events_with_range(source, options=OPTIONS):
        started = isinstance(event, dict) and event.get("Start")
        if place["start"] >= complete:
            pass
        elif depth == 0:
            places.append(place["start"])
            items, found.fenced, found.table = [], _is_fence(started), _is_table(started)
        elif depth == 1 and started == "Item":
            items.append(place["start"])
        if started:
            depth += 1
        elif isinstance(event, dict) and "End" in event:
            depth -= 1
        if depth > MAX_DEPTH:
            found.deep = True
            break
    found.blocks = _lines(text, places)
    found.items = _lines(text, items)
    return found


def _lines(text: bytes, places: list[int]) -> list[int]:
    """Turn places in a text into the numbers of their lines."""
    lines, line, seen = [], 0, 0
    for place in places:
        line += text.count(b"\n", seen, place)
        seen = place
        lines.append(line)
    return lines


def _is_fence(started: Any) -> bool:
    return isinstance(started, dict) and isinstance(started.get("CodeBlock"), dict)


def _is_table(started: Any) -> bool:
    return isinstance(started, dict) and "Table" in started
