"""A running reply on its way to a page: entries of the log become frames of the event stream."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence

from flask import render_template

from twindow.chat.log import Batch, build_reply
from twindow.chat.turns import Turn
from twindow.core import sse
from twindow.web.composer import conversation_composer
from twindow.web.container import portal
from twindow.web.i18n import formatting
from twindow.web.message_html import with_citations
from twindow.web.person.ownership import find_conversation
from twindow.web.streaming import htmx_frames
from twindow.web.streaming.reply_renderer import (
    PageCursor,
    RenderedReply,
    ReplyRenderer,
    Update,
)

# Keep-alives are events, because the page does not see comments. The page counts a stream without
# events as a failed attempt, and reports a lost connection (SILENCE_MS in reconnection.js).
PING = sse.frame(event="ping")
DONE = sse.frame(event="done")
# Reconnect delays are random within this range, so that browsers do not reconnect all at once when
# the portal restarts.
RECONNECT_MS = (1_000, 6_000)


def follow(
    turn_id: str, renderer: ReplyRenderer, keepalive_seconds: float
) -> Iterator[tuple[Batch, RenderedReply]]:
    """Follow the log of a reply, and yield each batch with the HTML of the reply so far.

    While rendering is behind, the batches come without waiting for more entries, as fast as the CPU
    budget allows. The last batch is final, unless the log was closed.
    """
    batches = portal().log.follow(turn_id, lambda: 0 if renderer.is_behind else keepalive_seconds)
    for batch in batches:
        yield batch, renderer.rendered if batch.is_final else renderer.render(batch)
        if wait_seconds := renderer.seconds_to_wait:
            portal().clock.sleep(wait_seconds)


class RunningReply:
    """A running reply, as one page shows it.

    `page` is what the page has: a connection that was cut continues there.
    """

    def __init__(self, turn: Turn, page: PageCursor) -> None:
        self._turn = turn
        self._page = page
        self._clock = portal().clock
        # None while the page says that the reply takes longer than usual.
        self._updated_at: float | None = self._clock.monotonic()
        self._is_progress_shown = True

    def frames(self) -> Generator[str]:
        """Yield the frames that the page needs until the reply ends, and keep-alives meanwhile."""
        yield PING
        with portal().reply_renderers.open(self._turn.id, scope=self._turn.id) as renderer:
            keepalive_seconds = portal().log.keepalive_seconds
            for batch, rendered in follow(self._turn.id, renderer, keepalive_seconds):
                if batch.is_final:
                    yield from self._last_frames(batch, renderer)
                    return
                updates = self._missing_updates(rendered, is_behind=renderer.is_behind)
                for update in updates:
                    yield self._update_frame(update, rendered)
                if not updates:
                    yield self._keepalive_frame()
        yield sse.frame(event="reconnect", retry=random.randint(*RECONNECT_MS))  # noqa: S311

    def _missing_updates(self, rendered: RenderedReply, *, is_behind: bool) -> Sequence[Update]:
        updates = rendered.updates_after(self._page)
        if updates is not None:
            return updates
        # The page keeps its text until this process has rendered as much.
        return () if is_behind and rendered.cursor < self._page.seq else (rendered.replacement,)

    def _update_frame(self, update: Update, rendered: RenderedReply) -> str:
        html = htmx_frames.render_patches(self._turn.position, update.patches)
        if update.progress or self._is_progress_shown:
            has_text = not rendered.html.is_empty
            html += htmx_frames.render_progress(self._turn, update.progress, has_text=has_text)
        self._is_progress_shown = update.progress is not None
        self._updated_at = self._clock.monotonic()
        self._page = PageCursor(update.cursor, rendered.renderer_id)
        return sse.frame(html, id=str(self._page))

    def _keepalive_frame(self) -> str:
        """Return a keep-alive, or once the notice that the reply takes longer than usual."""
        now = self._clock.monotonic()
        if self._updated_at is None or now - self._updated_at < formatting.OVERDUE_SECONDS:
            return PING
        self._updated_at, self._is_progress_shown = None, True
        return sse.frame(render_template("turns/_still_waiting_patch.html", turn=self._turn))

    def _last_frames(self, batch: Batch, renderer: ReplyRenderer) -> Generator[str]:
        """Yield the missing updates and the end of the reply.

        A page whose HTML is not known or too old, and a reply with citations, get the whole turn
        instead.
        """
        turn, reply = self._turn, build_reply(batch)
        html = portal().html_cache.get(turn.id, reply.text)
        final_patches = renderer.finish(html)
        updates = renderer.rendered.updates_after(self._page)
        for update in updates or ():
            yield self._update_frame(update, renderer.rendered)
        cited_html = with_citations(html, turn.id, reply)
        is_known = updates is not None and cited_html == html
        end = htmx_frames.render_end(turn, reply, cited_html, final_patches if is_known else None)
        if conversation := find_conversation(turn.conversation_id):
            # The reply may have used up a limit, or its twin may be gone.
            composer = conversation_composer(conversation)
            end += render_template("turns/_composer_patch.html", composer=composer)
        # The new footer replaces the one that holds the stream, which ends it. DONE is for a page
        # that has no such footer any more.
        yield sse.frame(end, id=reply.cursor)
        yield DONE
