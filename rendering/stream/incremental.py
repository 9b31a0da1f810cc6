"""The HTML of a reply while it is written. What is closed is rendered once, and never again.

A block is closed when another has begun: nothing that follows changes it, but for references that
are defined later. The render of the whole, at the end, mends these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from chat.log.entries import Batch, Delta, Reply, fold
from rendering.render import MAX_LENGTH
from rendering.stream.dom_patch import Change, changes
from rendering.stream.open_block import Block, Html

# So many entries, or so many characters of one, are read before others have their turn.
TURN = 32
PIECE = 4_000


class Draft:
    """Read the log of a reply, and tell one reader how its HTML changes.

    The HTML depends on the entries and their order alone: what a page has shown at a cursor, by
    whatever process, is what a draft comes to at that cursor.
    """

    def __init__(
        self, scope: str, after: int = 0, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """Begin for a reader who has the HTML at a cursor; 0 says that they have none."""
        self._pause = pause
        self.number = 0
        self._length = 0
        self._after = after
        self._block = Block(scope)
        self._closed: list[str] = []
        self._known: tuple[int, Html] | None = None

    @property
    def closed(self) -> Sequence[str]:
        """Return the HTML of the blocks that nothing changes any more, in its pieces."""
        return self._closed

    @property
    def open(self) -> str:
        """Return the HTML of the block that goes on."""
        return self._block.html.whole

    @property
    def html(self) -> str:
        """Return the HTML of all entries so far."""
        return "".join(self._closed) + self.open

    def read(self, batch: Batch) -> None:
        """Take the entries that are new."""
        for number, entry in enumerate(batch.entries, batch.after + 1):
            if number <= self.number:
                continue
            self._take(number, entry.text if isinstance(entry, Delta) else "")
            if number % TURN == 0:
                self._pause(0)  # a late reader has much to read: let other threads run

    def changes(self) -> tuple[Change, ...]:
        """Say how the HTML has changed since the reader was told last, or since their cursor."""
        new = self._block.html
        found = None
        if self._known:
            closed, old = self._known
            if closed == len(self._closed) and old.opened and new.frozen.startswith(old.frozen):
                rest = new.frozen[len(old.frozen) :] + new.rest
                found = changes(old.rest, rest, old.opened)
            else:
                found = changes(old.whole, "".join(self._closed[closed:]) + new.whole)
        self._known = len(self._closed), new
        return _wholly(self.html) if found is None else found

    def changes_to(self, final: str) -> tuple[Change, ...] | None:
        """Say how what the reader has becomes the final HTML; None if it is not known."""
        if not self._known:
            return None
        closed, old = self._known
        before = "".join(self._closed[:closed])
        found = changes(old.whole, final[len(before) :]) if final.startswith(before) else None
        return _wholly(final) if found is None else found

    def _take(self, number: int, text: str) -> None:
        self._length += len(text)
        # What is longer is plain text at its end, and rendered no further until then.
        if self._length <= MAX_LENGTH:
            for begin in range(0, len(text), PIECE):
                end = begin + PIECE
                if closed := self._block.write(text[begin:end], looks=0 < begin < len(text) <= end):
                    self._closed.append(closed)
                if begin:
                    self._pause(0)
        self.number = number
        if number == self._after:
            self._known = len(self._closed), self._block.html


def shown(batch: Batch, scope: str) -> Reply:
    """Say what the whole log in the batch comes to, with the HTML of a reply that goes on."""
    reply = fold(batch)
    if not (reply.running and reply.text):
        return reply
    draft = Draft(scope)
    draft.read(batch)
    return replace(reply, html=draft.html)


def _wholly(html: str) -> tuple[Change, ...]:
    return (Change(0, "innerHTML", html),)
