"""Parsing and serialisation of server-sent events.

Parsing turns bytes into events by the rules of WHATWG HTML 9.2.6. The parser, sseclient-py, gets
one complete, normalised, bounded event at a time. Serialisation returns a frame as text.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

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
_COMMENTS = re.compile(rb"\A(?::[^\n]*\n)+")


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
    return chain.from_iterable(read_events_by_chunk(chunks))


def read_events_by_chunk(chunks: Iterable[bytes]) -> Iterator[list[ServerSentEvent]]:
    """Yield the events that each chunk completes, perhaps none. Raises EventTooLarge."""
    for blocks in _split_blocks(chunks):
        events = SSEClient(iter(blocks)).events()
        yield [ServerSentEvent(event.event, event.data) for event in events]


def read_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines that each chunk completes, without their ends, and at last an incomplete one.

    Raises EventTooLarge.
    """
    pending: list[bytes] = []
    size = 0
    for chunk in _normalize_line_ends(chunks):
        first, *others = chunk.split(b"\n")
        pending.append(first)
        size += len(first)
        if size > MAX_EVENT_BYTES:
            raise EventTooLarge
        if others:
            yield [b"".join(pending), *others[:-1]]
            pending, size = others[-1:], len(others[-1])
    yield [b"".join(pending)]


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


def _split_blocks(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the events that each chunk completes, as sseclient parses them: valid UTF-8, LF only.

    An event without a final blank line is discarded, as the standard requires.
    """
    pending: list[bytes] = []
    size = 0
    for chunk in _normalize_line_ends(chunks):
        pending.append(chunk)
        size += len(chunk)
        if b"\n" in chunk:
            *events, rest = b"".join(pending).split(b"\n\n")
            blocks: list[bytes] = []
            for event in filter(None, events):
                if _is_too_large(event):
                    yield blocks
                    raise EventTooLarge
                if not event.isascii():
                    event = event.decode(errors="replace").encode()
                blocks.append(event.lstrip(b"\n") + b"\n\n")
            yield blocks
            rest = _COMMENTS.sub(b"", rest, count=1)
            if _is_too_large(rest):
                raise EventTooLarge
            pending, size = [rest], len(rest)
        if size > MAX_EVENT_BYTES:
            raise EventTooLarge


def _normalize_line_ends(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks without a BOM at the start, in which LF ends each line."""
    start: bytes | None = b""
    is_after_cr = False
    for chunk in filter(None, chunks):
        if start is not None:
            chunk = start + chunk
            if len(chunk) < len(BOM_UTF8) and BOM_UTF8.startswith(chunk):
                start = chunk
                continue
            chunk, start = chunk.removeprefix(BOM_UTF8), None
        if is_after_cr:
            chunk = chunk.removeprefix(b"\n")
        is_after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield chunk


def _is_too_large(event: bytes) -> bool:
    return len(event) > MAX_EVENT_BYTES or event.count(b"\n") >= MAX_EVENT_LINES
