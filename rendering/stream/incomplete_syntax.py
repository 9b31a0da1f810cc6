"""Incomplete syntax at the end of a growing text, which is not shown until it is complete."""

from __future__ import annotations

import re

# A link target is long, and would be shown as text until its bracket is closed: lines would jump.
_INCOMPLETE_LINK = re.compile(
    r"(?<![\w\\`\])])!?\[([^\[\]\n]{1,300})\]\("
    r"(?:h|ht|htt|https?|https?:[^()\s]{0,2000}|mailto:[^()\s]{0,200})?\Z"
)
_MAX_LINK_LENGTH = 2_400
_INCOMPLETE_FENCE = re.compile(r"(?:^|(?<=\n)) {0,3}(?:`+|~+)\Z")


def strip_incomplete_link(tail: str) -> str:
    """Replace an incomplete link at the end by its text."""
    match = _INCOMPLETE_LINK.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
    if match is None:
        return tail
    before = tail[: match.start()]
    line = before[before.rfind("\n") + 1 :]
    is_code = before.count("`") % 2 or line.startswith(("    ", "\t"))
    return tail if is_code else before + match[1]


def strip_incomplete_fence(tail: str) -> str:
    """Remove what may become a closing fence, so that it is not shown as a line of code."""
    return _INCOMPLETE_FENCE.sub("", tail)
