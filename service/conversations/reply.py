"""One reply on its way: what happens to it, for whoever listens, from the beginning."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.clock import Clock
from service.api.schemas import ErrorCode, StageName
from service.conversations.messages import Message
from service.llm.client import Writing
from service.twins.twin import Twin


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
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no reply."""

    sentence: str
    code: ErrorCode = "model_failed"


Event = Progress | Delta | Complete | Failed


class Reply:
    """The reply to a message. Listeners come and go; it is written all the same."""

    keep_alive_seconds = 10.0
    # Between two looks for a client that has gone.
    listen_seconds = 0.5

    def __init__(self, said: Message, holder: str, owner: str, twin: Twin, clock: Clock) -> None:
        self.said = said
        self.holder = holder
        self.owner = owner
        self.twin = twin
        self._clock = clock
        self.stopped = False
        # Whether its end is being stored; only one end counts.
        self.over = False
        self._writing: Writing | None = None
        self._events: list[Event] = []
        self._changed = threading.Condition()

    @property
    def text(self) -> str:
        """Return what has been written so far."""
        return "".join(event.content for event in self._events if isinstance(event, Delta))

    @property
    def cut_off(self) -> bool:
        """Tell whether it ended at the model's bound."""
        return self._writing is not None and self._writing.cut_off

    def put(self, event: Event) -> None:
        """Let whoever listens know."""
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def write(self, writing: Writing) -> Iterator[str]:
        """Yield the pieces that the model writes, until somebody stops it. Raises ModelFailed."""
        self._writing = writing
        if self.stopped:
            writing.stop()
        yield from writing

    def stop(self) -> None:
        """Stop at once; what has been written is kept."""
        self.stopped = True
        if self._writing:
            self._writing.stop()

    def follow(self, has_hung_up: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield what happens until the end; None, every ten seconds, for nothing yet."""
        seen = 0
        quiet_since = self._clock.monotonic()
        while True:
            new = self._wait(seen)
            seen += len(new)
            for event in new:
                yield event
                if isinstance(event, Complete | Failed):
                    return
            if new:
                quiet_since = self._clock.monotonic()
            elif has_hung_up():
                return
            elif self._clock.monotonic() - quiet_since >= self.keep_alive_seconds:
                quiet_since = self._clock.monotonic()
                yield None

    def _wait(self, seen: int) -> list[Event]:
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) > seen, self.listen_seconds)
            return self._events[seen:]
