"""Incomplete syntax at the end of a growing text, which is not shown until it is complete."""

from __future__ import annotations

import re

# A link target is long, and would be shown as text until its bracket is closed: lines would jump.
_INCOMPLETE_LINK = re.compile(
    r"(?<![\w\\`\])])!?\[([^\[\]\n]{1,300})\]\("
    r"(?:h|ht|htt|https?|https?:[^()\s]{0,2000}|mailto:[^()\s]{0,200})?\Z"
)
_MAX_LINK_LENGTH = 2_400
# The source of a formula is not shown until it is complete, that of emphasis without its marks.
_INCOMPLETE_FORMULA = re.compile(
    r"(?<!\\)(?:\$\$|\\\[(?![^\n]*\]\())(?:(?!\$\$|\\\]|\n[ \t]*\n).){0,1000}\Z", re.DOTALL
)
_INCOMPLETE_EMPHASIS = re.compile(
    r"(?<![\w*_~\\`])(\*\*|__|~~)(?=\S)((?:(?!\1)[^\n]){1,300}?)[*_~]?\Z"
)
_INCOMPLETE_FENCE = re.compile(r"(?:^|(?<=\n)) {0,3}(?:`+|~+)\Z")


_HIDDEN = (
    (_INCOMPLETE_FORMULA, "", ("$$", "\\[")),
    (_INCOMPLETE_EMPHASIS, r"\2", ("**", "__", "~~")),
)


def strip_incomplete_link(tail: str) -> str:
    """Replace an incomplete link at the end by its text."""
    match = _INCOMPLETE_LINK.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
    if match is None:
        return tail
    before = tail[: match.start()]
    return tail if _is_in_code(before) else before + match[1]


def strip_incomplete_inline(tail: str) -> str:
    """Hide an incomplete formula at the end, and the marks of incomplete links and emphasis."""
    if "](" in tail:
        tail = strip_incomplete_link(tail)
    for pattern, shown, marks in _HIDDEN:
        if not any(mark in tail for mark in marks):
            continue
        match = pattern.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
        if match and not _is_in_code(before := tail[: match.start()]):
            is_closing = bool(shown) and before.rpartition("\n\n")[2].count(match[1]) % 2
            tail = tail if is_closing else before + match.expand(shown)
    return tail


def _is_in_code(before: str) -> bool:
    line = before[before.rfind("\n") + 1 :]
    return before.count("`") % 2 == 1 or line.startswith(("    ", "\t"))


def strip_incomplete_fence(tail: str) -> str:
    """Remove what may become a closing fence, so that it is not shown as a line of code."""
    return _INCOMPLETE_FENCE.sub("", tail)
