"""The hit that somebody came for: marked where it stands, so that they need not look for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import request
from markupsafe import Markup, escape

from chat.log.entries import Reply
from chat.search.search import pattern
from chat.turns import Turn
from web.container import portal


@dataclass(frozen=True, slots=True)
class Marked:
    """A turn, and what the person said in it, with marks."""

    turn_id: str
    said: Markup


def with_hit(turns: Sequence[tuple[Turn, Reply]]) -> tuple[list[tuple[Turn, Reply]], Marked | None]:
    """Mark what the address looks for, in the one message that it names."""
    wanted, by_person = request.args.get("hit", ""), "said" in request.args
    looked_for = pattern(request.args.get("q", ""))
    found = next((turn for turn, _ in turns if turn.id == wanted), None)
    if found is None or looked_for is None:
        return list(turns), None
    marked = portal().marked
    said = escape(found.content)
    if by_person:
        said = Markup(marked(str(said), looked_for))  # noqa: S704 - made of what is escaped
    shown = [
        (turn, replace(reply, html=marked(reply.html, looked_for)))
        if turn is found and not by_person and not reply.running
        else (turn, reply)
        for turn, reply in turns
    ]
    return shown, Marked(wanted, said)
