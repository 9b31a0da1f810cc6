"""A reply as it is written, relayed to the browser as server-sent events."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator

from flask import Blueprint, Response, render_template, request, stream_with_context

import sse
from blueprints import words
from blueprints.current import person, portal
from chat.entries import Batch, Progress, fold, said
from chat.turns import Turn

bp = Blueprint("events", __name__)

STILL_WAITING_SECONDS = 15.0
# When the portal restarts, its readers come back spread over this time.
BACK_MS = (1_000, 6_000)

_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


@bp.get("/turns/<turn_id>/events")
def show(turn_id: str) -> Response:
    """Follow the log of a turn from the cursor: Last-Event-ID, or `after` in the address.

    Always answers 200: htmx asks again for ever after anything else. What is not the person's ends
    at once, like what does not exist.
    """
    turn = portal().turns.find(turn_id, person())
    body = _frames(turn, _cursor()) if turn else _nothing_to_see(turn_id)
    return Response(stream_with_context(body), headers=sse.HEADERS)


@bp.app_template_test("long_ago")
def is_long_ago(seconds: float) -> bool:
    """Tell whether somebody who has heard nothing since wonders whether anything will come."""
    return time.time() - seconds >= STILL_WAITING_SECONDS


def _cursor() -> int:
    value = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _frames(turn: Turn, after: int) -> Iterator[str]:
    # An event, not a comment: the page takes a stream that brings nothing for one that is none.
    yield sse.frame(event="here")
    heard_at: float | None = time.monotonic()
    for batch in portal().log.follow(turn.id, after):
        if batch.ended:
            yield sse.frame(_whole(turn, batch), id=batch.last) + _done()
            return
        if batch.entries:
            heard_at = time.monotonic()
            yield sse.frame(_more(turn, batch), id=batch.last)
        elif heard_at and time.monotonic() - heard_at >= STILL_WAITING_SECONDS:
            heard_at = None  # said once, not each time
            yield sse.frame(render_template("turns/_still_waiting.html", turn=turn))
        else:
            yield sse.HEARTBEAT
    yield sse.frame(event="back", retry=random.randint(*BACK_MS))  # noqa: S311


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


def _nothing_to_see(turn_id: str) -> Iterator[str]:
    """Say so to a page that shows the turn nevertheless: its session is over."""
    if _ID.fullmatch(turn_id):
        yield sse.frame(render_template("turns/_signed_out.html", turn_id=turn_id))
    yield _done()


def _done() -> str:
    return sse.frame(event="done")
