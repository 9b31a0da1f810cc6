"""A running reply and its events, which every listener can replay from the start."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from twindow.core.clock import Clock
from twindow.service.conversations.messages import Message
from twindow.service.interface_types import ReplyErrorCode, StageName
from twindow.service.knowledge import Source
from twindow.service.llm import CompletionStream, Usage
from twindow.service.twins import Twin


@dataclass(frozen=True, slots=True)
class Progress:
    """The current stage: queued, searching or thinking, then writing.

    `ahead` is the number of replies ahead in the queue.
    """

    stage: StageName
    ahead: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the text of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class Complete:
    """The complete, stored reply."""

    message: Message


@dataclass(frozen=True, slots=True)
class Failed:
    """The reply failed or was stopped; `sentence` explains why to people.

    `retry_after` is the number of seconds after which a repeat may succeed, if it is known.
    """

    sentence: str
    code: ReplyErrorCode = "model_failed"
    retry_after: int | None = None


Event = Progress | Delta | Complete | Failed
# `ReplyEvents` is a function that yields the events of a reply. The argument is a function that
# returns whether the client has disconnected.
ReplyEvents = Callable[[Callable[[], bool]], Iterator[Event | None]]


class Reply:
    """The running reply to a message. It continues whether or not anyone listens."""

    keepalive_seconds = 10.0
    # Interval of the checks for a disconnected client.
    disconnect_poll_seconds = 0.5

    def __init__(self, message: Message, lease_id: str, twin: Twin, clock: Clock) -> None:
        self.message = message
        self.lease_id = lease_id
        self.twin = twin
        self._clock = clock
        # Final event of a stopped reply. A second stop does not change this event.
        self.stop_reason: Failed | None = None
        # Whether the reply has ended, even if it is not stored yet. Later stops are ignored.
        self.is_finished = False
        self._stream: CompletionStream | None = None
        # The passages that the reply quotes, cites or offers.
        self.sources: Sequence[Source] = ()
        self._events: list[Event] = []
        self._changed = threading.Condition()

    @property
    def text(self) -> str:
        """Return the text written so far."""
        return "".join(event.content for event in self._events if isinstance(event, Delta))

    @property
    def is_cut_off(self) -> bool:
        """Return whether the reply ended at the model's token limit."""
        return self._stream is not None and self._stream.is_cut_off

    @property
    def usage(self) -> Usage | None:
        """Return the token counts that the model server has reported."""
        return self._stream.usage if self._stream else None

    def emit(self, event: Event) -> None:
        """Append an event and notify the listeners."""
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def read_pieces(self, stream: CompletionStream) -> Iterator[str]:
        """Yield the pieces of text from the model until the reply is stopped.

        Raises ModelFailed, and PromptTooLong before the first piece.
        """
        self._stream = stream
        if self.stop_reason:
            stream.stop()
        yield from stream

    def stop(self, reason: Failed) -> None:
        """Stop the reply; the text written so far remains."""
        self.stop_reason = self.stop_reason or reason
        if self._stream:
            self._stream.stop()

    def follow(self, is_disconnected: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield all events from the start to the end of the reply.

        Yields None after each `keepalive_seconds` without an event. Returns early
        when the client has disconnected.
        """
        sent_count = 0
        last_sent_at = self._clock.monotonic()
        while True:
            new_events = self._wait_for_events(sent_count)
            sent_count += len(new_events)
            for event in _join_deltas(new_events):
                yield event
                if isinstance(event, Complete | Failed):
                    return
            if new_events:
                last_sent_at = self._clock.monotonic()
            elif is_disconnected():
                return
            elif self._clock.monotonic() - last_sent_at >= self.keepalive_seconds:
                last_sent_at = self._clock.monotonic()
                yield None

    def _wait_for_events(self, sent_count: int) -> list[Event]:
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._events) > sent_count, self.disconnect_poll_seconds
            )
            return self._events[sent_count:]


def _join_deltas(events: Sequence[Event]) -> Iterator[Event]:
    """Join consecutive deltas, which cost less together."""
    for kind, group in groupby(events, type):
        if kind is Delta:
            yield Delta("".join(event.content for event in group if isinstance(event, Delta)))
        else:
            yield from group
