"""Parsing and serialisation of server-sent events.

Parsing turns bytes into events by the rules of WHATWG HTML 9.2.6. The parser, sseclient-py, gets
one complete, normalised, bounded event at a time. Serialisation returns a frame as text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from sseclient import SSEClient

MAX_EVENT_BYTES = 1024 * 1024
# sseclient copies the event for each line that it appends: many short lines take quadratic time.
MAX_EVENT_LINES = 1024

CONTENT_TYPE = "text/event-stream"
HEADERS = {
    "Content-Type": f"{CONTENT_TYPE}; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
KEEPALIVE = ": keep-alive\n\n"

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventTooLarge(Exception):
    """Raised when an event exceeds `MAX_EVENT_BYTES` or `MAX_EVENT_LINES`."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """A dispatched event."""

    name: str
    data: str


def read_events(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the events in the chunks, each as soon as its blank line arrives.

    Raises EventTooLarge.
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
    """Return one frame; `retry` is the reconnection time in milliseconds.

    Line breaks in the data cannot inject other fields: each line gets its own `data:`, and CR, LF
    and CRLF all end a line (WHATWG HTML 9.2.6).
    """
    lines = [f"event: {event}"] if event else []
    if id is not None:
        lines.append(f"id: {id}")
    if retry is not None:
        lines.append(f"retry: {retry}")
    lines += [f"data: {line}" for line in _LINE_END.split(data)]
    return "\n".join(lines) + "\n\n"


class _NormalizedEvents:
    """Complete events in the form that sseclient parses correctly: UTF-8 without a BOM, LF only."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        block: list[bytes] = []
        size = 0
        for line in decode_lines(self.chunks):
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
        # Discard an event without a final blank line, as the standard requires.

    def close(self) -> None:
        """Do nothing: the caller that provided the chunks closes them."""


def decode_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a stream, without their ends. Raises EventTooLarge for a long line."""
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
    if last_line := "".join(pending):
        yield last_line
