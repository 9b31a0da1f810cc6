"""A reply as it comes: bytes → events, bounded in size and in time."""

from __future__ import annotations

import threading
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import requests

from core import sse
from core.languages import N_
from twinapi import bounded_adapter, errors, transport
from twinapi.events import Complete, Delta, Event, Failed, parse
from twinapi.models import clean, message_text
from twinapi.watchdog import Watched, watchdog

MAX_REPLY_BYTES = 10 * 1024 * 1024
# More than any model writes. Text costs several times its size while it is stored and shown.
MAX_REPLY_CHARACTERS = 1024 * 1024
# A service that is faster than we are never makes us wait, and nobody else in this process runs.
BUSY_SECONDS = 0.005
PAUSE_SECONDS = 0.001
HEAD_SECONDS = 2.0

TOO_QUIET = N_(
    "The service was quiet for too long, so the reply was given up. What came so far is kept."
)
TOO_SLOW = N_("The reply took too long and was given up. What came so far is kept.")


class ReplyStream(Watched):
    """Iterate over the events of one reply.

    The request is sent by the first step. It ends with Complete or Failed, or raises a
    TwinApiError; `close` ends it from any thread, and then it just stops. Deadlines count events,
    in seconds: heartbeats, blank lines and junk keep no stream alive.
    """

    def __init__(
        self,
        send: Callable[[], requests.Response],
        *,
        secrets: tuple[str, ...],
        idle_timeout: float,
        total_timeout: float,
    ) -> None:
        self._send = send
        self._secrets = secrets
        self._idle_timeout = idle_timeout
        self._total_at = time.monotonic() + total_timeout
        self._idle_at = time.monotonic() + idle_timeout
        self._response: requests.Response | None = None
        self._break_off = bounded_adapter.HangUp()
        self._lock = threading.Lock()
        self._sending = False
        self._closed = False
        self._given_up: str | None = None
        # How many events said nothing that we know.
        self.skipped = 0
        # Where the message is, if the service says so: there its reply can be told to stop.
        self.place: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        self._sending = True
        if self._closed:
            return
        bounded_adapter.hang_up.set(self._break_off)
        try:
            response = self._send()
        except errors.TwinApiError:
            if self._closed:
                return
            raise
        finally:
            bounded_adapter.hang_up.set(None)
            self._sending = False
            # What it came on may be another reply's from now on.
            self._break_off.watch(None)
        with response:
            with self._lock:
                self._response = response
            self.place = response.headers.get("Location")
            if self._closed:
                return
            yield from self._bounded(self._events(response))

    def close(self) -> None:
        """End the stream and hang up, also while another thread waits for the next event."""
        self._closed = True
        if self._sending:
            # The head says where the message is, and only there its reply can be told to stop.
            patience = threading.Timer(HEAD_SECONDS, self._break_off)
            patience.daemon = True
            patience.start()
        self._hang_up()

    def check(self, now: float) -> None:
        """Hang up when a deadline has passed."""
        if now > self._total_at:
            self._given_up = TOO_SLOW
        elif now > self._idle_at:
            self._given_up = TOO_QUIET
        if self._given_up:
            self._hang_up()

    def _hang_up(self) -> None:
        with self._lock:
            if self._response is not None:
                transport.hang_up(self._response)

    def _events(self, response: requests.Response) -> Iterator[Event]:
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            yield _whole(transport.read_json(response, self._total_at - time.monotonic()))
            return
        if kind != sse.CONTENT_TYPE and response.status_code in (202, 204):
            yield Complete(None)
            return
        if kind != sse.CONTENT_TYPE:
            raise errors.StreamInterrupted(errors.Unexpected.sentence)
        self._idle_at = time.monotonic() + self._idle_timeout
        with watchdog.watching(self):
            try:
                for event in sse.read(_without_marks(self._chunks(response))):
                    known = parse(event, self._secrets)
                    if known is None:
                        self.skipped += 1
                        continue
                    self._idle_at = time.monotonic() + self._idle_timeout
                    yield known
                    if isinstance(known, Complete | Failed):
                        return
            except sse.TooLarge:
                raise errors.StreamTooLarge from None
            except transport.NETWORK_ERRORS:
                pass  # however the stream broke, what counts is that no end came
        if not self._closed:
            raise errors.StreamInterrupted(self._given_up)

    def _chunks(self, response: requests.Response) -> Iterator[bytes]:
        size, busy = 0, 0.0
        read_at = time.monotonic()
        while True:
            asked_at = time.monotonic()
            busy += asked_at - read_at
            if busy > BUSY_SECONDS:
                time.sleep(PAUSE_SECONDS)
                busy = 0.0
                asked_at = time.monotonic()
            # read1 alone hands on what is there, in every framing; other ways wait for more.
            chunk = response.raw.read1(transport.READ_BYTES, decode_content=True)
            read_at = time.monotonic()
            if read_at - asked_at > PAUSE_SECONDS:
                busy = 0.0
            if not chunk:
                return
            size += len(chunk)
            if size > MAX_REPLY_BYTES:
                raise errors.StreamTooLarge
            yield chunk

    def _bounded(self, events: Iterator[Event]) -> Iterator[Event]:
        """Yield the events, up to the last character that may be."""
        left = MAX_REPLY_CHARACTERS
        for event in events:
            if isinstance(event, Delta | Complete) and event.text:
                text, left = event.text[:left], left - len(event.text)
                if left < 0:
                    yield Delta(text)
                    raise errors.StreamTooLarge
            yield event


def _without_marks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Leave every byte order mark at the beginning out.

    The standard takes one away; behind a second one, the first event would be lost.
    """
    head = b""
    for chunk in chunks:
        head += chunk
        while head.startswith(BOM_UTF8):
            head = head.removeprefix(BOM_UTF8)
        if not BOM_UTF8.startswith(head):
            break
    yield head
    yield from chunks


def _whole(answer: object) -> Complete:
    data = answer.get("data", answer) if isinstance(answer, dict) else answer
    text = message_text(data)
    return Complete(clean(text) if text else None)
