"""One reply on its way: what happens to it, for whoever listens, from the beginning."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.clock import Clock
from service.conversations.messages import Message
from service.interface_types import ReplyErrorCode, StageName
from service.llm import CompletionStream
from service.twins import Twin


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done: queued, thinking, then writing. `ahead` is how many come before."""

    stage: StageName
    ahead: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class Complete:
    """The whole reply, stored; `cut_off` is whether it ended at the model's bound."""

    message: Message
    is_cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no reply."""

    sentence: str
    code: ReplyErrorCode = "model_failed"


Event = Progress | Delta | Complete | Failed


class Reply:
    """The reply to a message. Listeners come and go; it is written all the same."""

    keep_alive_seconds = 10.0
    # Between two looks for a client that has gone.
    disconnect_poll_seconds = 0.5

    def __init__(
        self, message: Message, lease_id: str, owner: str, twin: Twin, clock: Clock
    ) -> None:
        self.message = message
        self.lease_id = lease_id
        self.owner = owner
        self.twin = twin
        self._clock = clock
        self.is_stopped = False
        # Whether its end is being stored; only one end counts.
        self.is_finished = False
        self._stream: CompletionStream | None = None
        self._events: list[Event] = []
        self._changed = threading.Condition()

    @property
    def text(self) -> str:
        """Return what has been written so far."""
        return "".join(event.content for event in self._events if isinstance(event, Delta))

    @property
    def is_cut_off(self) -> bool:
        """Tell whether it ended at the model's bound."""
        return self._stream is not None and self._stream.is_cut_off

    def emit(self, event: Event) -> None:
        """Let whoever listens know."""
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def read_pieces(self, stream: CompletionStream) -> Iterator[str]:
        """Yield the pieces that the model writes, until somebody stops it. Raises ModelFailed."""
        self._stream = stream
        if self.is_stopped:
            stream.stop()
        yield from stream

    def stop(self) -> None:
        """Stop at once; what has been written is kept."""
        self.is_stopped = True
        if self._stream:
            self._stream.stop()

    def follow(self, is_disconnected: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield what happens until the end; None, every ten seconds, for nothing yet."""
        sent_count = 0
        last_sent_at = self._clock.monotonic()
        while True:
            new_events = self._wait_for_events(sent_count)
            sent_count += len(new_events)
            for event in new_events:
                yield event
                if isinstance(event, Complete | Failed):
                    return
            if new_events:
                last_sent_at = self._clock.monotonic()
            elif is_disconnected():
                return
            elif self._clock.monotonic() - last_sent_at >= self.keep_alive_seconds:
                last_sent_at = self._clock.monotonic()
                yield None

    def _wait_for_events(self, sent_count: int) -> list[Event]:
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._events) > sent_count, self.disconnect_poll_seconds
            )
            return self._events[sent_count:]
