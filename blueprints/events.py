"""The reply log of a turn as server-sent events."""

from __future__ import annotations

import re
from collections.abc import Generator

from flask import Blueprint, Response, render_template, request

from twindow.core import sse
from twindow.web.exemptions import sign_in_not_required
from twindow.web.person.ownership import find_turn
from twindow.web.person.revocation import while_signed_in
from twindow.web.streaming import stream_limit
from twindow.web.streaming.gzip_stream import stream_frames
from twindow.web.streaming.reply_renderer import PageCursor
from twindow.web.streaming.running_reply import DONE, RunningReply

bp = Blueprint("events", __name__)

# Reconnect delay for a person who follows too many replies.
BUSY_RETRY_MS = 10_000

_TURN_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


@bp.get("/turns/<turn_id>/events")
@sign_in_not_required
def show(turn_id: str) -> Response:
    """Stream what a page lacks of a reply.

    It has the part up to the cursor in Last-Event-ID, or in `after` in the query. A turn that does
    not exist, or that belongs to somebody else, gets a stream that ends at once: after any other
    response the browser would reconnect.
    """
    turn = find_turn(turn_id)
    if turn and stream_limit.is_stream_limit_reached():
        return stream_frames(Response(headers=sse.HEADERS), _busy_frames())
    page = PageCursor.parse(request.headers.get("Last-Event-ID") or request.args.get("after", ""))
    frames = RunningReply(turn, page).frames() if turn else _signed_out_frames(turn_id)
    twin_id = turn.twin_id if turn else ""
    frames = while_signed_in(frames, _signed_out_frames(turn_id), twin_id=twin_id)
    return stream_limit.count_stream(stream_frames(Response(headers=sse.HEADERS), frames))


def _busy_frames() -> Generator[str]:
    yield sse.frame(event="reconnect", retry=BUSY_RETRY_MS)


def _signed_out_frames(turn_id: str) -> Generator[str]:
    """Tell a page with this turn that the session has ended."""
    if _TURN_ID.fullmatch(turn_id):
        yield sse.frame(render_template("turns/_signed_out_patch.html", turn_id=turn_id))
    yield DONE
