"""Block boundaries of a Markdown text, and the kind of its last block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import comrak

from twindow.core.markdown_tree import parsed_tree
from twindow.core.panics import panics_as_errors
from twindow.rendering.parser import EXTENSIONS

# A last line that follows a blank line and begins with a letter, so that it starts a paragraph.
_PARAGRAPH_START = re.compile(r"\n[ \t]*\n[^\W\d_][^\n]*$")


@dataclass(slots=True)
class BlockBoundaries:
    """The start lines of the blocks, and of the items in the last block, counted from 0.

    `is_fenced_code` (code that is still open) and `is_table` are about the last block.
    """

    block_lines: list[int] = field(default_factory=list)
    item_lines: list[int] = field(default_factory=list)
    is_fenced_code: bool = False
    is_table: bool = False


def begins_paragraph(source: str) -> bool:
    """Return whether the incomplete last line clearly begins a paragraph."""
    line_before = source.rfind("\n", 0, max(0, source.rfind("\n")))
    return bool(_PARAGRAPH_START.search(source, max(0, line_before)))


@panics_as_errors
def find_boundaries(source: str) -> BlockBoundaries:
    """Find the block boundaries in one pass.

    An incomplete last line starts no block or item, unless it clearly begins a paragraph.
    """
    complete_lines = source.count("\n") + begins_paragraph(source)
    with parsed_tree(source, EXTENSIONS) as tree:
        blocks = [block for block in tree.children if _start_line(block) < complete_lines]
        boundaries = BlockBoundaries([_start_line(block) for block in blocks])
        if blocks:
            last, value = blocks[-1], blocks[-1].node_value
            boundaries.is_table = isinstance(value, comrak.Table)
            boundaries.is_fenced_code = (
                isinstance(value, comrak.CodeBlock)
                and value.value.fenced
                and not value.value.closed
            )
            if isinstance(value, comrak.List):
                lines = map(_start_line, last.children)
                boundaries.item_lines = [line for line in lines if line < complete_lines]
    return boundaries


def _start_line(node: comrak.AstNode) -> int:
    line: int = node.sourcepos.start.line
    return line - 1
