"""The hit that somebody came for: marked where it stands, so that they need not look for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import request
from markupsafe import Markup, escape

from chat.log.entries import Reply
from chat.search.search import query_pattern
from chat.turns import Turn
from web.container import portal


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """A turn, and what the person said in it, with marks."""

    turn_id: str
    content: Markup


def mark_search_hit(
    turns: Sequence[tuple[Turn, Reply]],
) -> tuple[list[tuple[Turn, Reply]], MarkedMessage | None]:
    """Mark what the address looks for, in the one message that it names."""
    hit_turn_id, is_in_message = request.args.get("hit", ""), "said" in request.args
    search_pattern = query_pattern(request.args.get("q", ""))
    hit_turn = next((turn for turn, _ in turns if turn.id == hit_turn_id), None)
    if hit_turn is None or search_pattern is None:
        return list(turns), None
    mark_matches = portal().mark_hits
    content = escape(hit_turn.content)
    if is_in_message:
        content = Markup(mark_matches(str(content), search_pattern))  # noqa: S704 - made of what is escaped
    marked_turns = [
        (turn, replace(reply, html=mark_matches(reply.html, search_pattern)))
        if turn is hit_turn and not is_in_message and not reply.is_running
        else (turn, reply)
        for turn, reply in turns
    ]
    return marked_turns, MarkedMessage(hit_turn_id, content)
