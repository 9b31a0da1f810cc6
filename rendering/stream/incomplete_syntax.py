"""What is written as far as half a mark, which may become anything yet, and is not shown so far."""

from __future__ import annotations

import re

# What a link leads to is long, and is shown as text until its bracket is closed: lines would jump.
_INCOMPLETE_LINK = re.compile(
    r"(?<![\w\\`\])])!?\[([^\[\]\n]{1,300})\]\("
    r"(?:h|ht|htt|https?|https?:[^()\s]{0,2000}|mailto:[^()\s]{0,200})?\Z"
)
_MAX_LINK_LENGTH = 2_400
_INCOMPLETE_FENCE = re.compile(r"(?:^|(?<=\n)) {0,3}(?:`+|~+)\Z")


def strip_incomplete_link(tail: str) -> str:
    """Show half a link as its words."""
    match = _INCOMPLETE_LINK.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
    if match is None:
        return tail
    before = tail[: match.start()]
    line = before[before.rfind("\n") + 1 :]
    is_code = before.count("`") % 2 or line.startswith(("    ", "\t"))
    return tail if is_code else before + match[1]


def strip_incomplete_fence(tail: str) -> str:
    """Leave out what may become the end of code: it must not be seen as the last line of it."""
    return _INCOMPLETE_FENCE.sub("", tail)
