"""A reply as it is written, relayed to the browser as server-sent events."""

from __future__ import annotations

import random
import re
from collections.abc import Generator

from flask import Blueprint, Response, render_template, request

from chat.log import Batch, Entry, Progress, build_reply
from chat.turns import Turn
from core import sse
from rendering.stream import IncrementalRenderer
from web import stream_limit
from web.container import portal
from web.current_person import person
from web.i18n import formatting
from web.streaming import append_batch, htmx_frames, stream_frames

bp = Blueprint("events", __name__)

# When the portal restarts, its readers come back spread over this time.
RECONNECT_MS = (1_000, 6_000)
# Who follows too many replies may ask again when some are over.
BUSY_RETRY_MS = 10_000

_TURN_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


@bp.get("/turns/<turn_id>/events")
def show(turn_id: str) -> Response:
    """Follow the log of a turn from the cursor: Last-Event-ID, or `after` in the address.

    What is not the person's is a stream that ends at once, as for what does not exist: after any
    other answer the page would ask again.
    """
    turn = portal().turns.find(turn_id, person())
    if turn and stream_limit.is_stream_limit_reached():
        return stream_frames(Response(headers=sse.HEADERS), _busy_frames())
    body = _reply_frames(turn, _requested_cursor()) if turn else _signed_out_frames(turn_id)
    return stream_limit.count_stream(stream_frames(Response(headers=sse.HEADERS), body))


def _requested_cursor() -> int:
    value = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _reply_frames(turn: Turn, cursor: int) -> Generator[str]:
    # An event, not a comment: the page takes a stream that brings nothing for one that is none.
    yield sse.frame(event="here")
    clock = portal().clock
    last_entry_at: float | None = clock.monotonic()
    renderer = IncrementalRenderer(turn.id, cursor)
    is_progress_shown = True
    # From the beginning, whatever the page has: what it shows is what the whole log comes to.
    for batch in portal().log.follow(turn.id):
        if batch.is_final:
            reply = build_reply(batch)
            patches = renderer.final_patches(reply.html)
            yield sse.frame(htmx_frames.render_end(turn, reply, patches), id=batch.last_seq)
            yield sse.frame(event="done")
            return
        append_batch(renderer, batch)
        new_entries = _entries_after(batch, cursor)
        if new_entries or cursor > batch.last_seq:
            last_entry_at = clock.monotonic()
            html = htmx_frames.render_patches(turn.position, renderer.next_patches())
            has_progress = any(isinstance(entry, Progress) for entry in new_entries)
            if has_progress or is_progress_shown:
                html += htmx_frames.render_progress(turn, new_entries, has_text=bool(renderer.html))
            yield sse.frame(html, id=batch.last_seq)
            cursor, is_progress_shown = batch.last_seq, has_progress
        elif (
            last_entry_at and clock.monotonic() - last_entry_at >= formatting.STILL_WAITING_SECONDS
        ):
            last_entry_at, is_progress_shown = None, True  # said once, not each time
            yield sse.frame(render_template("turns/_still_waiting_patch.html", turn=turn))
        else:
            yield sse.HEARTBEAT
    yield sse.frame(event="back", retry=random.randint(*RECONNECT_MS))  # noqa: S311


def _entries_after(batch: Batch, cursor: int) -> tuple[Entry, ...]:
    return batch.entries[max(0, cursor - batch.after) :]


def _busy_frames() -> Generator[str]:
    yield sse.frame(event="back", retry=BUSY_RETRY_MS)


def _signed_out_frames(turn_id: str) -> Generator[str]:
    """Say so to a page that shows the turn nevertheless: its session is over."""
    if _TURN_ID.fullmatch(turn_id):
        yield sse.frame(render_template("turns/_signed_out_patch.html", turn_id=turn_id))
    yield sse.frame(event="done")
