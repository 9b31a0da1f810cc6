"""What was looked for, marked in the HTML of a message."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flask import request
from markupsafe import Markup, escape

from chat.log import Reply
from chat.search import SearchPattern, Snippet, SnippetPart, query_pattern
from chat.turns import Turn
from core.threadpool import in_serial_threadpool

HIT_ID = "hit"
MAX_MARKS = 100

_MATH_ELEMENT = re.compile(r"(<math\b.*?</math>)", re.DOTALL)
_TAG = re.compile(r'(<(?:[^">]|"[^"]*")*>)')


def mark_hits(message_html: str, pattern: SearchPattern) -> str:
    """Mark the hits in HTML of ours; the one that a snippet shows gets the id `hit`.

    A hit within a formula, or of which a part is emphasised, is not marked; nor are more than 100.
    Of a text in which the snippet's cannot be found it is the first; without any, the beginning.
    """
    pieces = list(_split_html(message_html))
    target = pattern.rarest_hit("\n".join(text for _, text in pieces))
    output: list[str] = []
    remaining, offset = MAX_MARKS - 1, 0
    for piece, text in pieces:
        start, end = target.start - offset, target.end - offset
        offset += len(text) + 1
        if target.end and 0 <= start < len(text):
            before = pattern.split_hits(text[:start], max_hits=remaining)
            after = pattern.split_hits(text[end:], max_hits=remaining - _count_hits(before))
            target_mark = f'<mark id="{HIT_ID}">{_escape(text[start:end])}</mark>'
            output += [*map(_mark_part, before), target_mark, *map(_mark_part, after)]
            remaining -= _count_hits(before) + _count_hits(after)
        elif (
            remaining
            and text.strip()
            and (hit_count := _count_hits(parts := pattern.split_hits(text, max_hits=remaining)))
        ):
            output += map(_mark_part, parts)
            remaining -= hit_count
        else:
            output.append(piece)
    marked_html = "".join(output)
    if target.end:
        return marked_html
    if remaining < MAX_MARKS - 1:
        return marked_html.replace("<mark>", f'<mark id="{HIT_ID}">', 1)
    return f'<span id="{HIT_ID}"></span>{marked_html}'


def _count_hits(parts: Snippet) -> int:
    return sum(part.is_hit for part in parts)


def _mark_part(part: SnippetPart) -> str:
    escaped_text = _escape(part.text)
    return f"<mark>{escaped_text}</mark>" if part.is_hit else escaped_text


def _escape(text: str) -> str:
    return html.escape(text, quote=False)


def _split_html(message_html: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of HTML in their order, with the text that each of them is; "" is none."""
    for part_index, part in enumerate(_MATH_ELEMENT.split(message_html)):
        for piece_index, piece in enumerate([part] if part_index % 2 else _TAG.split(part)):
            yield piece, "" if part_index % 2 or piece_index % 2 else html.unescape(piece)


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """A turn, and what the person said in it, with marks."""

    turn_id: str
    content: Markup


_mark_hits_in_thread = in_serial_threadpool(mark_hits)


def mark_search_hit(
    turns: Sequence[tuple[Turn, Reply]],
) -> tuple[list[tuple[Turn, Reply]], MarkedMessage | None]:
    """Mark what the address looks for, in the one message that it names."""
    hit_turn_id, is_in_message = request.args.get("hit", ""), "said" in request.args
    search_pattern = query_pattern(request.args.get("q", ""))
    hit_turn = next((turn for turn, _ in turns if turn.id == hit_turn_id), None)
    if hit_turn is None or search_pattern is None:
        return list(turns), None
    content = escape(hit_turn.content)
    if is_in_message:
        content = Markup(_mark_hits_in_thread(str(content), search_pattern))  # noqa: S704 - made of what is escaped
    marked_turns = [
        (turn, replace(reply, html=_mark_hits_in_thread(reply.html, search_pattern)))
        if turn is hit_turn and not is_in_message and not reply.is_running
        else (turn, reply)
        for turn, reply in turns
    ]
    return marked_turns, MarkedMessage(hit_turn_id, content)
