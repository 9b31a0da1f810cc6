"""A reply in a page that is sent while it is written: for browsers without scripts.

HTML that has been sent stays. So what is closed is sent once, and what is open in versions, each of
which hides the one before (`.now` in followed.css); at the end, one of the whole if it differs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from flask import Response, current_app, render_template, stream_template

from chat.log.entries import Batch, Progress, Reply, fold
from chat.turns import Turn
from rendering.stream.incremental import Draft
from web.container import portal
from web.i18n.formatting import is_long_ago
from web.stream_limit import counted
from web.streaming.gzip_stream import pack

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
# Stands where nothing new is to be shown: all before it leaves for the browser.
PAUSE = "<!---->"
# A version follows another when it is longer by a part of it, or after a while: what is sent grows
# in proportion to the reply.
PART = 1 / 8
SECONDS_PER_CHARACTER = 1 / 1_000


class Written:
    """The HTML of one reply, bit by bit, while it is written; `reply` is what it has come to."""

    def __init__(self, turn: Turn, batches: Iterable[Batch]) -> None:
        self._clock = portal().clock
        self._soon: float = current_app.config["NOSCRIPT_SOON_SECONDS"]
        self.turn = turn
        self.reply: Reply | None = None
        self._batches = batches
        self._shown = ""
        self._shown_at = 0.0
        self._waits = ""

    def __iter__(self) -> Iterator[str]:
        """Yield HTML that follows what was yielded before."""
        # With a scope of its own: ids must not occur again in what comes at the end.
        draft = Draft(f"{self.turn.id}-draft")
        closed: list[str] = []
        for batch in self._batches:
            if batch.ended:
                self.reply = fold(batch)
                yield _rest(self.reply.html, "".join(closed))
                return
            draft.read(batch)
            new = draft.closed[len(closed) :]
            if new:
                closed += new
                self._shown = ""
                yield from new
            version = self._open(draft, batch)
            yield version
            if new or version or not batch.entries:
                yield PAUSE

    def _open(self, draft: Draft, batch: Batch) -> str:
        """Return a version of what is open, "" as long as the last one will do."""
        return self._grown(draft.open) if draft.html else self._waiting(batch)

    def _waiting(self, batch: Batch) -> str:
        told = [entry for entry in batch.entries if isinstance(entry, Progress)]
        waits = "long" if is_long_ago(self.turn.created_at) else "a moment"
        if self._waits == waits and not told:
            return ""
        self._waits = waits
        return self._version(progress=told[-1] if told else None)

    def _grown(self, html: str) -> str:
        since, grown = self._clock.monotonic() - self._shown_at, len(html) - len(self._shown)
        large = grown >= len(html) * PART and since >= self._soon
        late = since >= 2 * self._soon + len(html) * SECONDS_PER_CHARACTER
        if html == self._shown or (self._shown and not (large or late)):
            return ""
        self._shown, self._shown_at = html, self._clock.monotonic()
        return self._version(html=html)

    def _version(self, **values: object) -> str:
        return render_template("turns/_now.html", turn=self.turn, **values)


def _rest(html: str, shown: str) -> str:
    if not html.startswith(shown):
        return f'<div class="whole">{html}</div>'
    # Something must follow the last version, so that it is hidden.
    rest = html[len(shown) :]
    return rest if rest.strip() else "<span></span>"


def page(template: str, written: Written, **values: object) -> Response:
    """Answer with a page that holds the reply."""
    pieces = stream_template(template, written=written, **values)
    return counted(pack(Response(headers=HEADERS), _joined(pieces)))


def _joined(pieces: Iterator[str]) -> Generator[str]:
    held: list[str] = []
    for piece in pieces:
        held.append(piece)
        if piece == PAUSE:
            yield "".join(held)
            held.clear()
    yield "".join(held)
