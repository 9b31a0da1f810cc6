"""Markdown of messages and replies as a part of an exported document.

HTML in it becomes text, its headings are below those of the document, and an open code block ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import indent

import comrak

from twindow.core.markdown_tree import NestedTooDeeply, parsed_tree, walk
from twindow.core.panics import panics_as_errors
from twindow.rendering.source_limits import normalize_line_ends

# White space in Markdown; `rstrip()` without this argument would remove more characters.
BLANK_CHARACTERS = " \t\n"
MAX_HEADING_LEVEL = 6
HEADING_LEVEL_OFFSET = 2

# Noncharacters stand for "<" while the text is parsed, so that no HTML begins or ends code: one for
# those outside of code, and one for those in code, which stay.
_OUTSIDE, _IN_CODE = "\ufdd0", "\ufdd1"
# What may begin a tag, a comment or a declaration, but not a URL in angle brackets.
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])(?!https?://[^\s<>`]*>)")
_ESCAPED = re.compile(rf"((?:\\\\)*)\\?{_OUTSIDE}")
# Viewers disagree about formulas and bare URLs, and so about code beside them.
_AMBIGUOUS = re.compile(rb"\$|\\[(\[]|://|www\.|@")
_COMMONMARK = comrak.ExtensionOptions()
_GFM = comrak.ExtensionOptions(
    table=True, strikethrough=True, tasklist=True, footnotes=True, autolink=True
)
_HASHES = re.compile(rb"#{1,6}")


def embed_inline(text: str) -> str:
    """Return a text of one line, such as a title or a name, without HTML."""
    return " ".join(text.split()).replace("<", "&lt;")


def quote_markdown(text: str) -> str:
    """Return a text as a quotation without HTML outside of code."""
    lines = normalize_line_ends(text).split("\n")
    return embed_markdown("\n".join(f"> {line}".rstrip() for line in lines))


def embed_markdown(text: str) -> str:
    """Return Markdown without HTML outside of code, with lowered headings and closed code.

    What no parser can read is code.
    """
    try:
        return _embed(text)
    except NestedTooDeeply:
        return indent(normalize_line_ends(text), " " * 4)


@panics_as_errors
def _embed(text: str) -> str:
    source = normalize_line_ends(text).replace(_OUTSIDE, "").replace(_IN_CODE, "")
    source = _TAG_START.sub(_OUTSIDE, source)
    lines = [bytearray(line) for line in source.encode().split(b"\n")]
    with parsed_tree(source, _COMMONMARK) as tree:
        code = {position for node in walk(tree) for position in _code_in(node, lines)}
    with parsed_tree(source, _GFM) as tree:
        nodes = list(walk(tree))
        code &= {position for node in nodes for position in _code_in(node, lines)}
        for number, start, end in code:
            kept = lines[number][start:end].replace(_OUTSIDE.encode(), _IN_CODE.encode())
            lines[number][start:end] = kept
        closing_fence = "".join(map(_closing_fence, tree.children))
        for node in nodes:
            _lower_heading(node, lines)
            _adapt_fence(node, lines)
    embedded = _ESCAPED.sub(r"\1&lt;", b"\n".join(lines).decode()).replace(_IN_CODE, "<")
    return embedded.rstrip(BLANK_CHARACTERS) + closing_fence


def _code_in(node: comrak.AstNode, lines: Sequence[bytearray]) -> Iterator[tuple[int, int, int]]:
    """Yield the code of a block: the indexes of its lines, their first bytes, and the bytes behind.

    Code spans of several lines, and those beside formulas and URLs, are no code for every viewer.
    """
    first, last = node.sourcepos.start.line - 1, node.sourcepos.end.line
    if isinstance(node.node_value, comrak.CodeBlock):
        block = node.node_value.value
        for index, code in enumerate(block.literal.encode().split(b"\n"), first + block.fenced):
            if code and lines[index].endswith(code):  # a tab may be a part of the indentation
                yield index, len(lines[index]) - len(code), len(lines[index])
    elif isinstance(node.node_value, comrak.Paragraph | comrak.Heading | comrak.TableCell):
        if any(map(_AMBIGUOUS.search, lines[first:last])):
            return
        for each in walk(node):
            start, end = each.sourcepos.start, each.sourcepos.end
            if isinstance(each.node_value, comrak.Code) and start.line == end.line:
                yield start.line - 1, start.column - 1, end.column


def _adapt_fence(node: comrak.AstNode, lines: list[bytearray]) -> None:
    """Remove "|" from the line of an opening fence, which some viewers read as that of a table."""
    if isinstance(node.node_value, comrak.CodeBlock) and node.node_value.value.fenced:
        line = lines[node.sourcepos.start.line - 1]
        line[:] = line.replace(b"|", b" ")


def _closing_fence(node: comrak.AstNode) -> str:
    """Return the end of an open code block; one in a list or a quotation ends with it."""
    if not isinstance(node.node_value, comrak.CodeBlock):
        return ""
    block = node.node_value.value
    is_open = block.fenced and not block.closed
    return f"\n{chr(block.fence_char) * block.fence_length}" if is_open else ""


def _lower_heading(node: comrak.AstNode, lines: list[bytearray]) -> None:
    """Lower a heading, except one that is underlined within a list or a quotation."""
    if not isinstance(node.node_value, comrak.Heading):
        return
    heading = node.node_value.value
    hashes = b"#" * min(MAX_HEADING_LEVEL, heading.level + HEADING_LEVEL_OFFSET)
    first, last = node.sourcepos.start.line - 1, node.sourcepos.end.line - 1
    if not heading.setext:
        column = node.sourcepos.start.column - 1
        lines[first][column:] = _HASHES.sub(hashes, lines[first][column:], count=1)
    elif node.parent and node.parent.parent is None:
        lines[first][:] = hashes + b" " + b" ".join(lines[first:last])
        for line in lines[first + 1 : last + 1]:
            line.clear()
