"""Our own styles and scripts without what only their readers need."""

from __future__ import annotations

import re

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANK = re.compile(r"\s+")
AROUND = re.compile(r" ?([{};,]) ?")
# Whole lines only: what follows a statement might be in a string.
COMMENT_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)
MARGIN = re.compile(r"^\s+", re.MULTILINE)


def squeeze(part: str, text: str) -> str:
    """Return a style or a script that means the same; anything else as it is."""
    if part.endswith(".css"):
        return AROUND.sub(r"\1", BLANK.sub(" ", COMMENT.sub("", text))).strip()
    if part.startswith("js/"):
        return MARGIN.sub("", COMMENT_LINE.sub("", text))
    return text
