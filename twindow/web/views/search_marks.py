"""Marking of search hits in the HTML of a message."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flask import request
from markupsafe import Markup

from twindow.chat.search import SearchPattern, Snippet, SnippetPart, query_pattern
from twindow.core.threadpool import in_serial_threadpool
from twindow.web.message_html import message_html
from twindow.web.views.turn_view import TurnView

HIT_ID = "hit"
MAX_MARKS = 100

_MATH_ELEMENT = re.compile(r"(<math\b.*?</math>)", re.DOTALL)
_TAG = re.compile(r'(<(?:[^">]|"[^"]*")*>)')


def mark_hits(message_html: str, pattern: SearchPattern) -> str:
    """Wrap at most `MAX_MARKS` hits in <mark> elements.

    `message_html` must be HTML that the portal has rendered. The hit that the search result shows
    in its snippet gets the id `hit`. If that hit cannot be found, the first hit gets the id;
    without any hit, an empty element at the beginning gets the id. Hits within a formula, and hits
    that are split by a tag (such as emphasis), are not marked.
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
    """Yield (HTML, text) of each piece in order. The text is "" for tags and formulas."""
    for part_index, part in enumerate(_MATH_ELEMENT.split(message_html)):
        for piece_index, piece in enumerate([part] if part_index % 2 else _TAG.split(part)):
            yield piece, "" if part_index % 2 or piece_index % 2 else html.unescape(piece)


_mark_hits_in_thread = in_serial_threadpool(mark_hits)


def mark_search_hit(views: Sequence[TurnView]) -> list[TurnView]:
    """Mark the hits of the search `q` in the turn whose id is the query parameter `turn`.

    The query parameter `message` selects the message of the turn instead of the reply.
    """
    search_pattern = query_pattern(request.args.get("q", ""))
    if search_pattern is None:
        return list(views)
    hit_turn_id = request.args.get("turn", "")
    return [
        _mark_turn(view, search_pattern) if view.turn.id == hit_turn_id else view for view in views
    ]


def _mark_turn(view: TurnView, pattern: SearchPattern) -> TurnView:
    if "message" in request.args:
        marked = _mark_hits_in_thread(str(message_html(view.message)), pattern)
        return replace(view, marked_message=Markup(marked))  # noqa: S704 - built from escaped text
    if view.reply.is_running:
        return view
    return replace(view, reply_html=_mark_hits_in_thread(view.reply_html, pattern))
