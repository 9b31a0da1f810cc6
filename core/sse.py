"""The wire format of server-sent events, both ways.

Reading: bytes → events, by the rules of WHATWG HTML 9.2.6, on top of sseclient-py, which gets one
whole, normalised, bounded event at a time. Writing: one frame as text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from sseclient import SSEClient

MAX_EVENT_BYTES = 1024 * 1024
# sseclient joins lines by copying what it has: many short lines would cost their square.
MAX_EVENT_LINES = 1024

CONTENT_TYPE = "text/event-stream"
HEADERS = {
    "Content-Type": f"{CONTENT_TYPE}; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
HEARTBEAT = ": keep-alive\n\n"

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventTooLarge(Exception):
    """Raised when one event grows over its bound."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One dispatched event."""

    name: str
    data: str


def read_events(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the events in the chunks, each as soon as its blank line has come.

    Raises TooLarge.
    """
    for event in SSEClient(cast(Iterator[bytes], _NormalizedEvents(chunks))).events():
        yield ServerSentEvent(event.event, event.data)


def frame(
    data: str = "",
    *,
    event: str | None = None,
    id: int | str | None = None,  # noqa: A002
    retry: int | None = None,
) -> str:
    """Write one frame; `retry` says in how many milliseconds a reader should come back.

    However the data breaks its lines, none of them can become a field of its own: each gets its
    `data:`, and CR, LF and CRLF all count as an end (WHATWG HTML 9.2.6).
    """
    lines = [f"event: {event}"] if event else []
    if id is not None:
        lines.append(f"id: {id}")
    if retry is not None:
        lines.append(f"retry: {retry}")
    lines += [f"data: {line}" for line in _LINE_END.split(data)]
    return "\n".join(lines) + "\n\n"


class _NormalizedEvents:
    """Cut the bytes into events that sseclient reads correctly: UTF-8 without a BOM, LF only."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        block: list[bytes] = []
        size = 0
        for line in _decode_lines(self.chunks):
            if not line:
                if block:
                    yield b"\n".join(block) + b"\n\n"
                block, size = [], 0
                continue
            if line.startswith(":"):
                continue
            block.append(line.encode())
            size += len(block[-1]) + 1
            if size > MAX_EVENT_BYTES or len(block) > MAX_EVENT_LINES:
                raise EventTooLarge
        # What stands here has no blank line behind it: the standard says to drop it.

    def close(self) -> None:
        """Do nothing: whoever made the chunks closes them."""


def _decode_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pending: list[str] = []
    pending_size = 0
    is_first_chunk, is_after_cr = True, False
    for chunk in chunks:
        text = decoder.decode(chunk)
        if not text:
            continue
        if is_first_chunk:
            text, is_first_chunk = text.removeprefix("\ufeff"), False
        if is_after_cr and text:
            text = text.removeprefix("\n")
            is_after_cr = False
        if not text:
            continue
        is_after_cr = text.endswith("\r")
        head, *rest = _LINE_END.split(text)
        pending.append(head)
        pending_size += len(head)
        if pending_size > MAX_EVENT_BYTES:
            raise EventTooLarge
        for line in rest:
            yield "".join(pending)
            pending, pending_size = [line], len(line)
            if pending_size > MAX_EVENT_BYTES:
                raise EventTooLarge
