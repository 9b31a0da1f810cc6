"""Streaming of a reply within its page, for browsers without JavaScript.

Sent HTML cannot be changed. Closed blocks are therefore sent once. The open block is sent as
snapshots, each of which hides the previous one (`.noscript-snapshot` in noscript_stream.css). At
the end, the whole reply is sent again if its HTML differs from the closed blocks.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from flask import Response, render_template, stream_template

from twindow.chat.log import Batch, Reply, build_reply
from twindow.chat.turns import Turn
from twindow.twinapi import Progress
from twindow.web.container import portal
from twindow.web.i18n import is_overdue
from twindow.web.message_html import with_citations
from twindow.web.person.revocation import while_signed_in
from twindow.web.streaming.gzip_stream import stream_frames
from twindow.web.streaming.running_reply import follow
from twindow.web.streaming.stream_limit import count_stream

STREAM_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
# Everything before this marker is sent to the browser at once. The marker displays nothing.
FLUSH_MARKER = "<!---->"
# A new snapshot is sent when the open block has grown by this ratio, or after some time, so that
# the bytes sent stay proportional to the length of the reply.
MIN_GROWTH_RATIO = 1 / 8
MIN_INTERVAL_SECONDS = 0.4
SECONDS_PER_CHARACTER = 1 / 1_000
# Maximum time between two checks whether a snapshot is due.
POLL_SECONDS = 1.0


class NoscriptReply:
    """Iterable HTML of one running reply. `reply` is None until the reply has ended."""

    def __init__(self, turn: Turn) -> None:
        self._clock = portal().clock
        self.turn = turn
        self.reply: Reply | None = None
        self._last_html = ""
        self._last_sent_at = 0.0
        self._wait_state = ""

    def __iter__(self) -> Iterator[str]:
        """Yield HTML to append to the page, and a `FLUSH_MARKER` where it is to be sent."""
        # Use separate ids, because the final HTML may follow on the same page.
        scope = f"{self.turn.id}-draft"
        closed_blocks: list[str] = []
        with portal().reply_renderers.open(self.turn.id, scope) as renderer:
            for batch, rendered in follow(self.turn.id, renderer, POLL_SECONDS):
                if batch.is_final:
                    self.reply = build_reply(batch)
                    portal().conversations.mark_seen(self.turn.conversation_id, self.turn.position)
                    html = portal().html_cache.get(self.turn.id, self.reply.text)
                    html = with_citations(html, self.turn.id, self.reply)
                    yield _remaining_html(html, "".join(closed_blocks))
                    return
                new_blocks = rendered.html.closed_blocks[len(closed_blocks) :]
                if new_blocks:
                    closed_blocks += new_blocks
                    self._last_html = ""
                    yield from new_blocks
                snapshot = (
                    self._progress_snapshot(batch)
                    if rendered.html.is_empty
                    else self._text_snapshot(rendered.html.open_html)
                )
                yield snapshot
                if new_blocks or snapshot or not batch.entries:
                    yield FLUSH_MARKER

    def _progress_snapshot(self, batch: Batch) -> str:
        progress_entries = [entry for entry in batch.entries if isinstance(entry, Progress)]
        wait_state = "long" if is_overdue(self.turn.created_at) else "a moment"
        if self._wait_state == wait_state and not progress_entries:
            return ""
        self._wait_state = wait_state
        return self._render_snapshot(progress=progress_entries[-1] if progress_entries else None)

    def _text_snapshot(self, html: str) -> str:
        elapsed = self._clock.monotonic() - self._last_sent_at
        growth = len(html) - len(self._last_html)
        has_grown = growth >= len(html) * MIN_GROWTH_RATIO and elapsed >= MIN_INTERVAL_SECONDS
        is_stale = elapsed >= 2 * MIN_INTERVAL_SECONDS + len(html) * SECONDS_PER_CHARACTER
        if html == self._last_html or (self._last_html and not (has_grown or is_stale)):
            return ""
        self._last_html, self._last_sent_at = html, self._clock.monotonic()
        return self._render_snapshot(snapshot_html=html)

    def _render_snapshot(self, **values: object) -> str:
        return render_template("turns/_noscript_snapshot.html", turn=self.turn, **values)


def _remaining_html(html: str, sent_html: str) -> str:
    if not html.startswith(sent_html):
        return f'<div class="noscript-final">{html}</div>'
    # Append at least one element, because it hides the last snapshot.
    rest = html[len(sent_html) :]
    return rest if rest.strip() else "<span></span>"


def stream_page(template: str, noscript_reply: NoscriptReply, **values: object) -> Response:
    """Stream a page that contains the reply. It counts towards the stream limit."""
    chunks = stream_template(template, noscript_reply=noscript_reply, **values)
    twin_id = noscript_reply.turn.twin_id
    body = while_signed_in(_merge_chunks(chunks), _signed_out_chunks(), twin_id=twin_id)
    return count_stream(stream_frames(Response(headers=STREAM_HEADERS), body))


def _signed_out_chunks() -> Generator[str]:
    yield render_template("turns/_signed_out.html")


def _merge_chunks(chunks: Iterator[str]) -> Generator[str]:
    pending: list[str] = []
    for chunk in chunks:
        pending.append(chunk)
        if chunk == FLUSH_MARKER:
            yield "".join(pending)
            pending.clear()
    yield "".join(pending)
