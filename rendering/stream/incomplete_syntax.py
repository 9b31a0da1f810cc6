"""Incomplete syntax at the end of a growing text, which is not shown until it is complete."""

from __future__ import annotations

import re

# A link target is long, and would be shown as text until its bracket is closed: lines would jump.
_INCOMPLETE_LINK = re.compile(
    r"(?<![\w\\`\])])!?\[([^\[\]\n]{1,300})\]\("
    r"(?:h|ht|htt|https?|https?:[^()\s]{0,2000}|mailto:[^()\s]{0,200})?\Z"
)
_MAX_LINK_LENGTH = 2_400
# The source of a formula is not shown until it is complete; emphasis is closed.
_INCOMPLETE_FORMULA = re.compile(
    r"(?<!\\)(?:\$\$|\\\[(?![^\n]*\]\())(?:(?!\$\$|\\\]|\n[ \t]*\n).){0,1000}\Z", re.DOTALL
)
_INCOMPLETE_EMPHASIS = re.compile(
    r"(?<![\w*_~\\`])(\*\*|__|~~)(?=\S)((?:(?!\1)[^\n]){1,300}?)([ \t]*)[*_~]?\Z"
)
# A line that may become a list item, a heading, a rule or the line below a heading, and the lines
# that may become the head of a table: what they are is known when more of them has arrived.
_INCOMPLETE_LINE = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-+*=#_ ]{1,80}|\d{1,9}[.)]?)[ \t]*\Z")
_INCOMPLETE_TABLE_HEAD = re.compile(
    r"(?:^|(?<=\n\n)) {0,3}\|[^\n]{0,2000}(?:\n[ \t|:-]{0,2000})?\Z"
)
_INCOMPLETE_FENCE = re.compile(r"(?:^|(?<=\n)) {0,3}(?:`+|~+)\Z")


def strip_incomplete_link(tail: str) -> str:
    """Replace an incomplete link at the end by its text."""
    match = _INCOMPLETE_LINK.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
    if match is None:
        return tail
    before = tail[: match.start()]
    return tail if _is_in_code(before) else before + match[1]


def strip_incomplete_inline(tail: str) -> str:
    """Hide an incomplete formula and the target of an incomplete link; close emphasis."""
    if "](" in tail:
        tail = strip_incomplete_link(tail)
    start = max(0, len(tail) - _MAX_LINK_LENGTH)
    if "$$" in tail or "\\[" in tail:
        match = _INCOMPLETE_FORMULA.search(tail, start)
        if match and not _is_in_code(before := tail[: match.start()]):
            tail = before
    if "**" in tail or "__" in tail or "~~" in tail:
        match = _INCOMPLETE_EMPHASIS.search(tail, start)
        if match and not _is_in_code(before := tail[: match.start()]):
            mark, text, blanks = match.groups()
            is_closing = before.rpartition("\n\n")[2].count(mark) % 2
            # Half a mark in the text would pair with the closing mark.
            closed = text if text.count(mark[0]) % 2 else mark + text + mark
            tail = tail if is_closing else before + closed + blanks
    return tail


def strip_incomplete_line(tail: str) -> str:
    """Hide a last line that may become a different block, and the head of a table."""
    tail = _INCOMPLETE_LINE.sub("", tail)
    return _INCOMPLETE_TABLE_HEAD.sub("", tail) if "|" in tail else tail


def _is_in_code(before: str) -> bool:
    line = before[before.rfind("\n") + 1 :]
    return before.count("`") % 2 == 1 or line.startswith(("    ", "\t"))


def strip_incomplete_fence(tail: str) -> str:
    """Remove what may become a closing fence, so that it is not shown as a line of code."""
    return _INCOMPLETE_FENCE.sub("", tail)
