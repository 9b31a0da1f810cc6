"""Titles of conversations, made from their first message."""

from __future__ import annotations

import re

MAX_DEFAULT_TITLE_CHARACTERS = 60
# As in rendering/message.py.
_FENCE = re.compile(r" {0,3}(`{3,})([^`]*)")


def make_title(content: str, max_characters: int = MAX_DEFAULT_TITLE_CHARACTERS) -> str:
    """Return the first words of a message as a title, with an ellipsis if words are left out.

    Fenced code is left out. The title of a message that is only code is its first line.
    """
    title = " ".join(_without_code(content).split())
    if len(title) <= max_characters:
        return title
    return title[: max_characters - 1].rsplit(" ", 1)[0].rstrip(",;:.-") + "…"


def _without_code(content: str) -> str:
    text_lines: list[str] = []
    code_lines: list[str] = []
    opening_fence = ""
    for line in content.splitlines():
        fence = _FENCE.fullmatch(line)
        if fence and not opening_fence:
            opening_fence = fence[1]
        elif fence and fence[1].startswith(opening_fence) and not fence[2].strip():
            opening_fence = ""
        else:
            lines = code_lines if opening_fence else text_lines
            lines.append(line)
    text = "\n".join(text_lines)
    first_code_line = next((line for line in code_lines if line.strip()), content)
    return text if text.strip() else first_code_line
