"""A reply as it is written, relayed to the browser as server-sent events."""

from __future__ import annotations

import random
import re
from collections.abc import Generator

from flask import Blueprint, Response, render_template, request

from chat.log.entries import Batch, Entry, Progress, fold
from chat.turns import Turn
from core import sse
from rendering.stream.incremental import Draft
from web import stream_limit
from web.container import person, portal
from web.i18n import formatting
from web.streaming import htmx_frames
from web.streaming.gzip_stream import pack

bp = Blueprint("events", __name__)

# When the portal restarts, its readers come back spread over this time.
BACK_MS = (1_000, 6_000)
# Who follows too many replies may ask again when some are over.
LATER_MS = 10_000

_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


@bp.get("/turns/<turn_id>/events")
def show(turn_id: str) -> Response:
    """Follow the log of a turn from the cursor: Last-Event-ID, or `after` in the address.

    What is not the person's is a stream that ends at once, as for what does not exist: after any
    other answer the page would ask again.
    """
    turn = portal().turns.find(turn_id, person())
    if turn and stream_limit.is_one_too_many():
        return pack(Response(headers=sse.HEADERS), _later())
    body = _frames(turn, _cursor()) if turn else _nothing_to_see(turn_id)
    return stream_limit.counted(pack(Response(headers=sse.HEADERS), body))


def _cursor() -> int:
    value = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _frames(turn: Turn, cursor: int) -> Generator[str]:
    # An event, not a comment: the page takes a stream that brings nothing for one that is none.
    yield sse.frame(event="here")
    clock = portal().clock
    heard_at: float | None = clock.monotonic()
    draft = Draft(turn.id, cursor)
    says_what_it_does = True
    # From the beginning, whatever the page has: what it shows is what the whole log comes to.
    for batch in portal().log.follow(turn.id):
        if batch.ended:
            reply = fold(batch)
            changes = draft.changes_to(reply.html)
            yield sse.frame(htmx_frames.end(turn, reply, changes), id=batch.last)
            yield sse.frame(event="done")
            return
        draft.read(batch)
        new = _beyond(batch, cursor)
        if new or cursor > batch.last:
            heard_at = clock.monotonic()
            text = htmx_frames.text(turn.position, draft.changes())
            does = any(isinstance(entry, Progress) for entry in new)
            if does or says_what_it_does:
                text += htmx_frames.progress(turn, new, has_text=bool(draft.html))
            yield sse.frame(text, id=batch.last)
            cursor, says_what_it_does = batch.last, does
        elif heard_at and clock.monotonic() - heard_at >= formatting.STILL_WAITING_SECONDS:
            heard_at, says_what_it_does = None, True  # said once, not each time
            yield sse.frame(render_template("turns/_still_waiting.html", turn=turn))
        else:
            yield sse.HEARTBEAT
    yield sse.frame(event="back", retry=random.randint(*BACK_MS))  # noqa: S311


def _beyond(batch: Batch, cursor: int) -> tuple[Entry, ...]:
    return batch.entries[max(0, cursor - batch.after) :]


def _later() -> Generator[str]:
    yield sse.frame(event="back", retry=LATER_MS)


def _nothing_to_see(turn_id: str) -> Generator[str]:
    """Say so to a page that shows the turn nevertheless: its session is over."""
    if _ID.fullmatch(turn_id):
        yield sse.frame(render_template("turns/_signed_out.html", turn_id=turn_id))
    yield sse.frame(event="done")
