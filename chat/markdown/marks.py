"""What was looked for, marked in the HTML of a message."""

from __future__ import annotations

import html
import re

from chat.snippets import Pattern

PLACE = "hit"
MOST = 100

_MATH = re.compile(r"(<math\b.*?</math>)", re.DOTALL)
_TAG = re.compile(r'(<(?:[^">]|"[^"]*")*>)')


def marked(message: str, pattern: Pattern) -> str:
    """Mark the hits in HTML of ours; the first gets the id `hit`, their place if there is none.

    A hit within a formula, or of which a part is emphasised, is not marked; nor are more than 100.
    """
    pieces: list[str] = []
    marks = 0
    for number, part in enumerate(_MATH.split(message)):
        for place, piece in enumerate([part] if number % 2 else _TAG.split(part)):
            if number % 2 or place % 2 or marks >= MOST or not piece.strip():
                pieces.append(piece)
                continue
            for text, hit in pattern.whole(html.unescape(piece), most=MOST - marks):
                shown = html.escape(text, quote=False)
                begin = "<mark>" if marks else f'<mark id="{PLACE}">'
                pieces.append(f"{begin}{shown}</mark>" if hit else shown)
                marks += hit
    return "".join(pieces) if marks else f'<span id="{PLACE}"></span>{message}'
