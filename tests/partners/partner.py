"""What tests know of a partner: a service in another stack, written from the interface alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

FULL_KEY = "full-4fbb19c2a7"
READ_KEY = "read-77aa03e51d"
TWIN_COUNT = 134
PAGE_SIZE = 50  # whatever limit is requested
LIMIT_SENTENCE = "Rate limit exceeded: 20 per 1 hour"
SCOPE_SENTENCE = "Insufficient scope: full_access required"
WORDS = ("Hello ", "from ", "the other ", "side.")
WAIT_SECONDS = 10


@dataclass
class State:
    """State of a partner. Messages choose what happens; see `reply_to`.

    `requests` has the method and path of all requests, `keys` the Idempotency-Key of all messages.
    """

    requests: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    conversations: dict[str, int] = field(default_factory=dict)
    go_on: threading.Event = field(default_factory=threading.Event)

    def reply_to(self, content: str) -> tuple[str, ...]:
        """Return the pieces of the reply; "" stands for a connection that breaks off."""
        self.messages.append(content)
        is_first = self.messages.count(content) == 1
        return (*WORDS[:2], "") if content == "Break off" and is_first else WORDS

    def pause_before(self, piece: str, content: str) -> None:
        """Wait before the last piece of the reply to “Wait” until the test lets it go on."""
        if content == "Wait" and piece == WORDS[-1]:
            self.go_on.wait(WAIT_SECONDS)


@dataclass(frozen=True, slots=True)
class Partner:
    """A running partner; `restart` ends it and starts it again on the same port."""

    url: str
    state: State
    restart: Callable[[], None]


RunPartner = Callable[[], AbstractContextManager[Partner]]
