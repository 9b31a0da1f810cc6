"""A reply in a page that is sent while it is written: for browsers without scripts.

HTML that has been sent stays. So what is closed is sent once, and what is open in versions, each of
which hides the one before (`.now` in followed.css); at the end, one of the whole if it differs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from flask import Response, current_app, render_template, stream_template

from chat.log import Batch, Progress, Reply, build_reply
from chat.turns import Turn
from rendering.stream import IncrementalRenderer
from web.container import portal
from web.i18n import is_overdue
from web.stream_limit import count_stream
from web.streaming.gzip_stream import stream_frames
from web.streaming.live_rendering import append_batch

STREAM_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
# Stands where nothing new is to be shown: all before it leaves for the browser.
FLUSH_MARKER = "<!---->"
# A version follows another when it is longer by a part of it, or after a while: what is sent grows
# in proportion to the reply.
MIN_GROWTH_RATIO = 1 / 8
SECONDS_PER_CHARACTER = 1 / 1_000


class NoscriptReply:
    """The HTML of one reply, bit by bit, while it is written; `reply` is what it has come to."""

    def __init__(self, turn: Turn, batches: Iterable[Batch]) -> None:
        self._clock = portal().clock
        self._min_interval: float = current_app.config["NOSCRIPT_SOON_SECONDS"]
        self.turn = turn
        self.reply: Reply | None = None
        self._batches = batches
        self._last_html = ""
        self._last_sent_at = 0.0
        self._wait_state = ""

    def __iter__(self) -> Iterator[str]:
        """Yield HTML that follows what was yielded before."""
        # With a scope of its own: ids must not occur again in what comes at the end.
        renderer = IncrementalRenderer(f"{self.turn.id}-draft")
        closed_blocks: list[str] = []
        for batch in self._batches:
            if batch.is_final:
                self.reply = build_reply(batch)
                yield _remaining_html(self.reply.html, "".join(closed_blocks))
                return
            append_batch(renderer, batch)
            new_blocks = renderer.closed_blocks[len(closed_blocks) :]
            if new_blocks:
                closed_blocks += new_blocks
                self._last_html = ""
                yield from new_blocks
            snapshot = self._open_snapshot(renderer, batch)
            yield snapshot
            if new_blocks or snapshot or not batch.entries:
                yield FLUSH_MARKER

    def _open_snapshot(self, draft: IncrementalRenderer, batch: Batch) -> str:
        """Return a version of what is open, "" as long as the last one will do."""
        return (
            self._text_snapshot(draft.open_html) if draft.html else self._progress_snapshot(batch)
        )

    def _progress_snapshot(self, batch: Batch) -> str:
        progress_entries = [entry for entry in batch.entries if isinstance(entry, Progress)]
        wait_state = "long" if is_overdue(self.turn.created_at) else "a moment"
        if self._wait_state == wait_state and not progress_entries:
            return ""
        self._wait_state = wait_state
        return self._render_snapshot(progress=progress_entries[-1] if progress_entries else None)

    def _text_snapshot(self, html: str) -> str:
        elapsed, growth = (
            self._clock.monotonic() - self._last_sent_at,
            len(html) - len(self._last_html),
        )
        has_grown = growth >= len(html) * MIN_GROWTH_RATIO and elapsed >= self._min_interval
        is_stale = elapsed >= 2 * self._min_interval + len(html) * SECONDS_PER_CHARACTER
        if html == self._last_html or (self._last_html and not (has_grown or is_stale)):
            return ""
        self._last_html, self._last_sent_at = html, self._clock.monotonic()
        return self._render_snapshot(html=html)

    def _render_snapshot(self, **values: object) -> str:
        return render_template("turns/_noscript_snapshot.html", turn=self.turn, **values)


def _remaining_html(html: str, sent_html: str) -> str:
    if not html.startswith(sent_html):
        return f'<div class="noscript-final">{html}</div>'
    # Something must follow the last version, so that it is hidden.
    rest = html[len(sent_html) :]
    return rest if rest.strip() else "<span></span>"


def stream_page(template: str, noscript_reply: NoscriptReply, **values: object) -> Response:
    """Answer with a page that holds the reply."""
    chunks = stream_template(template, written=noscript_reply, **values)
    return count_stream(stream_frames(Response(headers=STREAM_HEADERS), _merge_chunks(chunks)))


def _merge_chunks(chunks: Iterator[str]) -> Generator[str]:
    pending: list[str] = []
    for chunk in chunks:
        pending.append(chunk)
        if chunk == FLUSH_MARKER:
            yield "".join(pending)
            pending.clear()
    yield "".join(pending)
