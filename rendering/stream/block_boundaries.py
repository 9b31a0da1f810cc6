"""Block boundaries of a Markdown text, and the kind of its last block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pyromark

from rendering.panics import panics_as_errors
from rendering.preprocess import MARKDOWN_OPTIONS, MAX_DEPTH

# A last line that follows a blank line and begins with a letter, so that it starts a paragraph.
_PARAGRAPH_START = re.compile(r"\n[ \t]*\n[^\W\d_][^\n]*$")


@dataclass(slots=True)
class BlockBoundaries:
    """The start lines of the blocks, and of the items in the last block, counted from 0.

    `is_fenced_code` and `is_table` are about the last block.
    """

    block_lines: list[int] = field(default_factory=list)
    item_lines: list[int] = field(default_factory=list)
    is_fenced_code: bool = False
    is_table: bool = False
    is_too_deep: bool = False


@panics_as_errors
def find_boundaries(source: str) -> BlockBoundaries:
    """Find the block boundaries in one pass; stop where the text is nested too deep.

    An incomplete last line starts no block or item, unless it clearly begins a paragraph.
    """
    boundaries = BlockBoundaries()
    encoded = source.encode()
    complete_end = len(encoded) if _PARAGRAPH_START.search(source) else encoded.rfind(b"\n") + 1
    depth = 0
    block_offsets: list[int] = []
    item_offsets: list[int] = []
    for event, span in pyromark.events_with_range(source, options=MARKDOWN_OPTIONS):
        start_tag = isinstance(event, dict) and event.get("Start")
        if span["start"] >= complete_end:
            pass
        elif depth == 0:
            block_offsets.append(span["start"])
            item_offsets, boundaries.is_fenced_code, boundaries.is_table = (
                [],
                _is_fenced_code(start_tag),
                _is_table(start_tag),
            )
        elif depth == 1 and start_tag == "Item":
            item_offsets.append(span["start"])
        if start_tag:
            depth += 1
        elif isinstance(event, dict) and "End" in event:
            depth -= 1
        if depth > MAX_DEPTH:
            boundaries.is_too_deep = True
            break
    boundaries.block_lines = _line_numbers(encoded, block_offsets)
    boundaries.item_lines = _line_numbers(encoded, item_offsets)
    return boundaries


def _line_numbers(text: bytes, offsets: list[int]) -> list[int]:
    """Convert ascending byte offsets to line numbers."""
    lines, line, previous_offset = [], 0, 0
    for offset in offsets:
        line += text.count(b"\n", previous_offset, offset)
        previous_offset = offset
        lines.append(line)
    return lines


def _is_fenced_code(start_tag: Any) -> bool:
    return isinstance(start_tag, dict) and isinstance(start_tag.get("CodeBlock"), dict)


def _is_table(start_tag: Any) -> bool:
    return isinstance(start_tag, dict) and "Table" in start_tag
