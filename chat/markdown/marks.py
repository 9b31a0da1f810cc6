"""What was looked for, marked in the HTML of a message."""

from __future__ import annotations

import html
import re

from chat.snippets import Pattern

PLACE = "hit"

_MATH = re.compile(r"(<math\b.*?</math>)", re.DOTALL)
_TAG = re.compile(r'(<(?:[^">]|"[^"]*")*>)')


def marked(found: str, pattern: Pattern) -> str:
    """Mark the hits in HTML of ours; the first gets the id `hit`, their place if there is none.

    A hit within a formula, or of which a part is emphasised, is not marked.
    """
    parts = [
        part
        if number % 2
        else "".join(
            piece if place % 2 else _with_marks(html.unescape(piece), pattern)
            for place, piece in enumerate(_TAG.split(part))
        )
        for number, part in enumerate(_MATH.split(found))
    ]
    whole = "".join(parts)
    if "<mark>" in whole:
        return whole.replace("<mark>", f'<mark id="{PLACE}">', 1)
    return f'<span id="{PLACE}"></span>{found}'


def _with_marks(text: str, pattern: Pattern) -> str:
    if not text.strip():
        return text
    return "".join(
        f"<mark>{html.escape(part.text, quote=False)}</mark>"
        if part.hit
        else html.escape(part.text, quote=False)
        for part in pattern.whole(text)
    )
