"""What was looked for, marked in the HTML of a message."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from chat.search.snippets import Part, Pattern, Snippet

PLACE = "hit"
MOST = 100

_MATH = re.compile(r"(<math\b.*?</math>)", re.DOTALL)
_TAG = re.compile(r'(<(?:[^">]|"[^"]*")*>)')


def marked(message: str, pattern: Pattern) -> str:
    """Mark the hits in HTML of ours; the one that a snippet shows gets the id `hit`.

    A hit within a formula, or of which a part is emphasised, is not marked; nor are more than 100.
    Of a text in which the snippet's cannot be found it is the first; without any, the beginning.
    """
    pieces = list(_pieces(message))
    sought = pattern.rarest("\n".join(text for _, text in pieces))
    shown: list[str] = []
    left, at = MOST - 1, 0
    for piece, text in pieces:
        first, last = sought.start - at, sought.end - at
        at += len(text) + 1
        if sought.end and 0 <= first < len(text):
            before = pattern.whole(text[:first], most=left)
            after = pattern.whole(text[last:], most=left - _hits(before))
            place = f'<mark id="{PLACE}">{_escaped(text[first:last])}</mark>'
            shown += [*map(_marked, before), place, *map(_marked, after)]
            left -= _hits(before) + _hits(after)
        elif left and text.strip() and (hits := _hits(parts := pattern.whole(text, most=left))):
            shown += map(_marked, parts)
            left -= hits
        else:
            shown.append(piece)
    whole = "".join(shown)
    if sought.end:
        return whole
    if left < MOST - 1:
        return whole.replace("<mark>", f'<mark id="{PLACE}">', 1)
    return f'<span id="{PLACE}"></span>{whole}'


def _hits(parts: Snippet) -> int:
    return sum(part.hit for part in parts)


def _marked(part: Part) -> str:
    shown = _escaped(part.text)
    return f"<mark>{shown}</mark>" if part.hit else shown


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _pieces(message: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of HTML in their order, with the text that each of them is; "" is none."""
    for number, part in enumerate(_MATH.split(message)):
        for place, piece in enumerate([part] if number % 2 else _TAG.split(part)):
            yield piece, "" if number % 2 or place % 2 else html.unescape(piece)
