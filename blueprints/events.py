"""A reply as it is written, relayed to the browser as server-sent events."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, render_template, request, stream_with_context

import sse
from blueprints import words
from blueprints.current import person, portal
from chat.entries import Batch, Progress, fold, said
from chat.turns import Turn

bp = Blueprint("events", __name__)

RETRY = "retry: 500\n"


@bp.get("/turns/<turn_id>/events")
def show(turn_id: str) -> Response:
    """Follow the log of a turn from the cursor: Last-Event-ID, or `after` in the address.

    Always answers 200: htmx asks again for ever after anything else. What is not the person's ends
    at once, like what does not exist.
    """
    turn = portal().turns.find(turn_id, person())
    body = _frames(turn, _cursor()) if turn else iter([_done()])
    return Response(stream_with_context(body), headers=sse.HEADERS)


def _cursor() -> int:
    value = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _frames(turn: Turn, after: int) -> Iterator[str]:
    yield RETRY + sse.HEARTBEAT
    for batch in portal().log.follow(turn.id, after):
        if not batch.entries:
            yield sse.HEARTBEAT
        elif batch.ended:
            yield sse.frame(_whole(turn, batch), id=batch.last) + _done()
        else:
            yield sse.frame(_more(turn, batch), id=batch.last)


def _more(turn: Turn, batch: Batch) -> str:
    progress = [entry for entry in batch.entries if isinstance(entry, Progress)]
    return render_template(
        "turns/_more.html",
        turn=turn,
        text=said(batch.entries),
        progress=progress[-1] if progress else None,
        replace=batch.after == 0,
    )


def _whole(turn: Turn, batch: Batch) -> str:
    return render_template("turns/_swap.html", turn=turn, reply=fold(batch), key=words.fresh_key())


def _done() -> str:
    return sse.frame(event="done")
