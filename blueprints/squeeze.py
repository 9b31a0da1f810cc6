"""Our own styles, scripts and templates without what only their readers need."""

from __future__ import annotations

import re

from jinja2.ext import Extension

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANK = re.compile(r"\s+")
AROUND = re.compile(r" ?([{};,]) ?")
# Whole lines only: what follows a statement might be in a string.
COMMENT_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)
MARGIN = re.compile(r"^\s+", re.MULTILINE)
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def squeeze(part: str, text: str) -> str:
    """Return a style or a script that means the same; anything else as it is."""
    if part.endswith(".css"):
        return AROUND.sub(r"\1", BLANK.sub(" ", COMMENT.sub("", text))).strip()
    if part.startswith("js/"):
        return MARGIN.sub("", COMMENT_LINE.sub("", text))
    return text


class Unindented(Extension):
    """Take the indentation out of templates; what is put into them keeps its own."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return a template that means the same."""
        return INDENT.sub("", source)
