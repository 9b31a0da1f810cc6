"""Streamed replies: bytes are parsed into events, limited in size and time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Self

import requests

from twindow.core import sse
from twindow.core.outbound.fair_response import BUFFER_BYTES, FULL_READ_BYTES
from twindow.core.outbound.responses import NETWORK_ERRORS, describe_response
from twindow.twinapi import errors, transport
from twindow.twinapi.bounded_adapter import AbortHandle
from twindow.twinapi.events import (
    Complete,
    Delta,
    Event,
    EventParser,
    Failed,
    parse_whole_reply,
    resolve_text,
)
from twindow.twinapi.watchdog import watchdog

MAX_REPLY_BYTES = 10 * 1024 * 1024
# No model writes replies of this length. Storing and rendering a reply takes several times the size
# of its text.
MAX_REPLY_CHARACTERS = 1024 * 1024
ABORT_DELAY_SECONDS = 2.0


class ReplyStream:
    """Iterable over the events of one reply.

    The first step of the iteration sends the request. The iteration ends with Complete or Failed,
    or raises a TwinApiError. Deltas that arrive together are joined. Any thread may call `close`;
    the iteration over a streamed reply then ends without an error. Timeouts are in seconds. Only
    events extend the idle deadline, not comments, blank lines or junk.

    After each read since the first delta, the stream waits for the result of `pause_seconds`,
    unless more may have arrived already.
    """

    def __init__(
        self,
        send: Callable[[AbortHandle], requests.Response],
        *,
        key: str,
        pause_seconds: Callable[[], float],
        timeout: float,
        total_timeout: float,
    ) -> None:
        self._send = send
        self._parser = EventParser(key)
        self._pause_seconds = pause_seconds
        self._timeout = timeout
        self._total_deadline = time.monotonic() + total_timeout
        self._idle_deadline = time.monotonic() + timeout
        self._response: requests.Response | None = None
        self._abort_handle = AbortHandle()
        self._lock = threading.Lock()
        self._is_sending = False
        self._is_closed = False
        self._timeout_code: str | None = None
        # Number of unknown events, and of deltas, which are joined.
        self.skipped_count = self.delta_count = 0
        # URL at which a DELETE stops the reply, if the service has announced it.
        self.cancel_url: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        self._is_sending = True
        if self._is_closed:
            return
        try:
            response = self._send(self._abort_handle)
        except errors.TwinApiError:
            if self._is_closed:
                return
            raise
        finally:
            self._is_sending = False
            # Detach the handle, because the connection may serve another reply later.
            self._abort_handle.attach(None)
        with response:
            with self._lock:
                self._response = response
            self.cancel_url = transport.announced_url(response, "cancel")
            if self._is_closed:
                return
            yield from self._limit_length(self._events(response))

    def close(self) -> None:
        """End the stream, even while another thread waits for the next event."""
        self._is_closed = True
        if self._is_sending:
            # Wait for the headers: they may announce a URL to stop the reply.
            timer = threading.Timer(ABORT_DELAY_SECONDS, self._abort_handle)
            timer.daemon = True
            timer.start()
        self._abort()

    def _check_deadlines(self, now: float) -> None:
        if now > self._total_deadline:
            self._timeout_code = "total_timeout"
        elif now > self._idle_deadline:
            self._timeout_code = "idle_timeout"
        if self._timeout_code:
            self._abort()

    def _abort(self) -> None:
        with self._lock:
            if self._response is not None:
                transport.abort(self._response)

    def _events(self, response: requests.Response) -> Iterator[Event]:
        content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if content_type == "application/json":
            seconds = self._total_deadline - time.monotonic()
            yield parse_whole_reply(transport.read_json(response, seconds))
            return
        if content_type != sse.CONTENT_TYPE and response.status_code in (202, 204):
            yield Complete(None)
            return
        self._idle_deadline = time.monotonic() + self._timeout
        with watchdog.watch(self._check_deadlines):
            try:
                if content_type != sse.CONTENT_TYPE:
                    detail = describe_response(response, next(self._chunks(response), b""))
                    raise errors.StreamInterrupted(errors.UnexpectedResponse.code, detail)
                for sse_events in sse.read_events_by_chunk(self._chunks(response)):
                    for event in _join_deltas(self._parse(sse_events)):
                        self._idle_deadline = time.monotonic() + self._timeout
                        yield event
                        if isinstance(event, Complete | Failed):
                            return
            except sse.EventTooLarge:
                raise errors.StreamTooLarge from None
            except NETWORK_ERRORS:
                pass  # the stream ended without a final event
        if not self._is_closed:
            raise errors.StreamInterrupted(self._timeout_code)

    def _parse(self, sse_events: Iterable[sse.ServerSentEvent]) -> Iterator[Event]:
        for sse_event in sse_events:
            event = self._parser.parse(sse_event)
            self.delta_count += isinstance(event, Delta)
            self.skipped_count += event is None
            if isinstance(event, Complete | Failed) and (rest := self._parser.close()):
                yield Delta(rest)
            if event:
                yield event

    def _chunks(self, response: requests.Response) -> Iterator[bytes]:
        size = 0
        while not self._is_closed:
            # Unlike `read`, `read1` returns available bytes immediately, chunked or not.
            chunk = response.raw.read1(BUFFER_BYTES, decode_content=True)
            if not chunk:
                return
            size += len(chunk)
            if size > MAX_REPLY_BYTES:
                raise errors.StreamTooLarge
            yield chunk
            # Nothing delays the first delta, and what has arrived during a pause.
            may_pause = self.delta_count and len(chunk) < FULL_READ_BYTES
            if may_pause and (seconds := self._pause_seconds()):
                time.sleep(seconds)

    def _limit_length(self, events: Iterator[Event]) -> Iterator[Event]:
        """Yield events up to `MAX_REPLY_CHARACTERS` of text, then raise StreamTooLarge.

        The text of Complete is None unless it replaces the text of the deltas.
        """
        remaining = MAX_REPLY_CHARACTERS
        deltas: list[str] = []
        for event in events:
            if isinstance(event, Delta):
                deltas.append(event.text)
                text, remaining = event.text[:remaining], remaining - len(event.text)
                if remaining < 0:
                    yield Delta(text)
                    raise errors.StreamTooLarge
            elif isinstance(event, Complete):
                event = resolve_text(event, "".join(deltas))
                if event.text and len(event.text) > MAX_REPLY_CHARACTERS:
                    if not deltas:
                        yield Delta(event.text[:MAX_REPLY_CHARACTERS])
                    raise errors.StreamTooLarge
            yield event


def _join_deltas(events: Iterable[Event]) -> Iterator[Event]:
    """Join consecutive deltas, which cost less together."""
    for kind, group in groupby(events, type):
        if kind is Delta:
            yield Delta("".join(event.text for event in group if isinstance(event, Delta)))
        else:
            yield from group
