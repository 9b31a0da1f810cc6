"""The reply log of a turn as server-sent events."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Sequence

from flask import Blueprint, Response, render_template, request

from twindow.chat.log import Reply, build_reply
from twindow.chat.turns import Turn
from twindow.core import sse
from twindow.rendering.stream import DomPatch
from twindow.web.container import portal
from twindow.web.http import sign_in_not_required
from twindow.web.i18n import formatting
from twindow.web.message_html import with_citations
from twindow.web.person.ownership import find_conversation, find_turn
from twindow.web.person.revocation import while_signed_in
from twindow.web.streaming import htmx_frames, stream_limit
from twindow.web.streaming.gzip_stream import stream_frames
from twindow.web.streaming.running_replies import PageCursor, RunningReply
from twindow.web.views import conversation_composer

bp = Blueprint("events", __name__)

# Reconnect delays are random within this range, so that browsers do not reconnect all at once when
# the portal restarts.
RECONNECT_MS = (1_000, 6_000)
# Reconnect delay for a person who follows too many replies.
BUSY_RETRY_MS = 10_000

# Keep-alives are events, because the page does not see comments. The page counts a stream without
# events as a failed attempt, and reports a lost connection (SILENCE_MS in reconnection.js).
_PING = sse.frame(event="ping")

_TURN_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


@bp.get("/turns/<turn_id>/events")
@sign_in_not_required
def show(turn_id: str) -> Response:
    """Stream the log of a turn from a cursor: Last-Event-ID, or `after` in the query.

    A turn that does not exist, or that belongs to somebody else, gets a stream that ends at once:
    after any other response the browser would reconnect.
    """
    turn = find_turn(turn_id)
    if turn and stream_limit.is_stream_limit_reached():
        return stream_frames(Response(headers=sse.HEADERS), _busy_frames())
    body = _reply_frames(turn, _page_cursor()) if turn else _signed_out_frames(turn_id)
    twin_id = turn.twin_id if turn else ""
    body = while_signed_in(body, _signed_out_frames(turn_id), twin_id=twin_id)
    return stream_limit.count_stream(stream_frames(Response(headers=sse.HEADERS), body))


def _page_cursor() -> PageCursor:
    return PageCursor.parse(request.headers.get("Last-Event-ID") or request.args.get("after", ""))


def _reply_frames(turn: Turn, page_cursor: PageCursor) -> Generator[str]:
    yield _PING
    cursor = page_cursor.seq
    log, clock = portal().log, portal().clock
    updated_at: float | None = clock.monotonic()
    is_progress_shown = True
    with portal().running_replies.open(turn.id, scope=turn.id) as running:
        has_other_html = cursor > 0 and page_cursor.renderer_id != running.id
        # While rendering is behind, do not wait for more entries.
        for batch in log.follow(turn.id, lambda: 0 if running.is_behind else log.keepalive_seconds):
            if batch.is_final:
                final_cursor = None if has_other_html else cursor
                yield from _final_frames(turn, build_reply(batch), running, final_cursor)
                return
            rendered = running.render(batch)
            updates = None if has_other_html else rendered.updates_after(cursor)
            if running.is_behind and rendered.cursor < cursor:
                updates = ()  # the page keeps its text until this process has rendered as much
            for update in [rendered.replacement] if updates is None else updates:
                updated_at = clock.monotonic()
                html = htmx_frames.render_patches(turn.position, update.patches)
                if update.progress or is_progress_shown:
                    html += htmx_frames.render_progress(
                        turn, update.progress, has_text=not rendered.html.is_empty
                    )
                yield sse.frame(html, id=str(PageCursor(update.cursor, running.id)))
                cursor, is_progress_shown = update.cursor, update.progress is not None
                has_other_html = False
            if updated_at and clock.monotonic() - updated_at >= formatting.OVERDUE_SECONDS:
                updated_at, is_progress_shown = None, True  # show the notice only once
                yield sse.frame(render_template("turns/_still_waiting_patch.html", turn=turn))
            elif updates is not None and not updates:
                yield _PING
            if wait_seconds := running.seconds_to_wait:
                clock.sleep(wait_seconds)
    yield sse.frame(event="reconnect", retry=random.randint(*RECONNECT_MS))  # noqa: S311


def _final_frames(
    turn: Turn, reply: Reply, running: RunningReply, cursor: int | None
) -> Generator[str]:
    """Yield the missing updates and the end of a reply.

    A page whose HTML is not known (`cursor` is None, or too old), and a reply with citations, get
    the whole turn instead.
    """
    html = portal().html_cache.get(turn.id, reply.text)
    final_patches: Sequence[DomPatch] | None = running.finish(html)
    updates = None if cursor is None else running.rendered.updates_after(cursor)
    cited_html = with_citations(html, turn.id, reply)
    if updates is None or cited_html != html:
        final_patches = None
    for update in updates or ():
        patches_html = htmx_frames.render_patches(turn.position, update.patches)
        yield sse.frame(patches_html, id=str(PageCursor(update.cursor, running.id)))
    end_html = htmx_frames.render_end(turn, reply, cited_html, final_patches)
    if conversation := find_conversation(turn.conversation_id):
        # The reply may have used up a limit, or its twin may be gone.
        composer = conversation_composer(conversation)
        end_html += render_template("turns/_composer_patch.html", composer=composer)
    yield sse.frame(end_html, id=reply.cursor)
    yield sse.frame(event="done")


def _busy_frames() -> Generator[str]:
    yield sse.frame(event="reconnect", retry=BUSY_RETRY_MS)


def _signed_out_frames(turn_id: str) -> Generator[str]:
    """Tell a page with this turn that the session has ended."""
    if _TURN_ID.fullmatch(turn_id):
        yield sse.frame(render_template("turns/_signed_out_patch.html", turn_id=turn_id))
    yield sse.frame(event="done")
