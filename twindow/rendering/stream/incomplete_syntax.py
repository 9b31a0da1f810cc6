"""Incomplete syntax at the end of a growing text, which is not shown until it is complete."""

from __future__ import annotations

import re

from twindow.rendering.placeholders import FORMULA_START, open_formula

# A link target is long, and would be shown as text until its bracket is closed: lines would jump.
_INCOMPLETE_LINK = re.compile(
    r"(?<![A-Za-z0-9_\\`\])])!?\[([^\[\]\n]{1,300})\]\("
    r"(?:h|ht|htt|https?|https?:[^()\s]{0,2000}|mailto:[^()\s]{0,200}|data:[^()\s]{0,400})?\Z"
)
_MAX_LINK_LENGTH = 2_400
# Emphasis is closed. The letters before it are ASCII: Chinese and Japanese have no spaces.
_INCOMPLETE_EMPHASIS = re.compile(
    r"(?<![A-Za-z0-9*_~\\`])(\*\*?|__|~~)(?=[^\s*_~])((?:(?!\1)[^\n]){1,300}?)([ \t]*)[*_~]?\Z"
)
# The source of a formula is not shown until it is complete. Words show that a dollar is a price
# or begins the name of a variable.
_MAX_FORMULA_LENGTH = 1_000
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\}?)?")
_PLAIN_WORD = re.compile(r"[^\W\d_]{3,}")
# A tag or the beginning of an environment without its end, and what it may become.
_INCOMPLETE_TAG = re.compile(
    r"</?(?:b|br|s|su|sub|sup|k|kb|kbd)?/?\Z|(?<!\\)\\b?e?g?i?n?(?:\{\w{0,14}\*?)?\Z"
)
_BULLET = re.compile(r"^[ \t]*\*[ \t]", re.MULTILINE)
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
# A line that may become a list item, a heading, a rule or the line below a heading, and the lines
# that may become the head of a table: what they are is known when more of them has arrived.
_INCOMPLETE_LINE = re.compile(r"(?:[-+*=#_|][-+*=#_| \t]{0,80}|\d{1,9}[.)]?)?")
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
    if FORMULA_START.search(tail):
        tail = _strip_incomplete_formula(tail)
    if incomplete := _INCOMPLETE_TAG.search(tail, max(0, len(tail) - 24)):
        tail = tail[: incomplete.start()]
    if "*" in tail or "__" in tail or "~~" in tail:
        tail = _close_emphasis(tail)
    return tail


def _strip_incomplete_formula(tail: str) -> str:
    start = open_formula(tail)
    if start is None or len(tail) - start > _MAX_FORMULA_LENGTH or _is_in_code(tail[:start]):
        return tail
    latex = tail[start:]
    is_display = latex.startswith(("$$", "\\["))
    is_clear = ("=" in latex or "^" in latex) if is_display else ("^" in latex or "\\" in latex[1:])
    is_formula = is_clear or not _PLAIN_WORD.search(_LATEX_COMMAND.sub("", latex))
    is_formula |= latex.startswith("\\begin")
    is_price = latex[1:2].isdigit() or (latex[0] == "$" and latex.count(")") > latex.count("("))
    return tail[:start] if is_formula and not is_price else tail


def _close_emphasis(tail: str) -> str:
    match = _INCOMPLETE_EMPHASIS.search(tail, max(0, len(tail) - _MAX_LINK_LENGTH))
    if match is None or _is_in_code(before := tail[: match.start()]):
        return tail
    mark, text, blanks = match.groups()
    if _BULLET.sub("", before.rpartition("\n\n")[2]).count(mark) % 2:
        return tail  # the mark closes
    # Half a mark in the text would pair with the closing mark.
    return before + (text if text.count(mark[0]) % 2 else mark + text + mark) + blanks


def strip_incomplete_line(tail: str, *, in_table: bool) -> str:
    """Hide a last line that may become a different block, and the head of a table."""
    start = tail.rfind("\n") + 1
    if _INCOMPLETE_LINE.fullmatch(tail[start:].strip(" \t")):
        tail = tail[:start]
    return _INCOMPLETE_TABLE_HEAD.sub("", tail) if "|" in tail and not in_table else tail


def _is_in_code(before: str) -> bool:
    line = before[before.rfind("\n") + 1 :]
    is_indented = line.startswith(("    ", "\t")) and not _LIST_ITEM.match(before)
    return is_indented or before.count("`") % 2 == 1


def strip_incomplete_fence(tail: str) -> str:
    """Remove what may become a closing fence, so that it is not shown as a line of code."""
    return _INCOMPLETE_FENCE.sub("", tail)
