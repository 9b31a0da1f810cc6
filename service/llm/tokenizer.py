"""How many tokens a text has: counted by the model server where it offers that, else estimated."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Annotated, Any

import msgspec
import requests

from core.bounded_http import NETWORK_ERRORS, TooLarge, read_bounded

logger = logging.getLogger(__name__)

# A byte-level tokenizer needs about one token for three bytes of prose.
BYTES_A_TOKEN = 3
REMEMBERED = 32

Tokens = Callable[[str], int]


class _NotOffered(Exception):
    """Raised when a server does not count."""


class _Answer(msgspec.Struct):
    """What llama.cpp answers (tokens), or vLLM (tokens, count and max_model_len)."""

    tokens: list[Any]
    count: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max_model_len: Annotated[int, msgspec.Meta(ge=1)] | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """Where to ask, for which model, with which headers."""

    url: str
    model: str
    headers: Mapping[str, str] = field(compare=False)


def estimate(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(text.encode()) // BYTES_A_TOKEN


class Tokenizer:
    """Ask the model server for counts; `window` is its own, once it has told it."""

    # For how long a reply waits for counts, and how long a server is left alone that gave none.
    count_seconds = 2.0
    not_offered_seconds = 600.0
    silent_seconds = 60.0

    def __init__(self, session: requests.Session) -> None:
        self.window: int | None = None
        self._session = session
        self._estimate_until: dict[Server, float] = {}
        self._counted = lru_cache(REMEMBERED)(self._ask)

    def counter(self, find: Callable[[], Server]) -> Tokens:
        """Return what counts the texts of one prompt; it is never slow and never fails.

        The server is found with the first count, and what that raises is raised.
        """
        begun = cache(lambda: (find(), time.monotonic() + self.count_seconds))
        return lambda text: self._count(text, *begun())

    def _count(self, text: str, server: Server, until: float) -> int:
        now = time.monotonic()
        if now >= until or now < self._estimate_until.get(server, 0):
            return estimate(text)
        try:
            return self._counted(server, text)
        except _NotOffered:
            pause = self.not_offered_seconds
        except NETWORK_ERRORS as error:
            logger.warning("The model server does not count tokens now: %s", type(error).__name__)
            pause = self.silent_seconds
        self._estimate_until[server] = time.monotonic() + pause
        return estimate(text)

    def _ask(self, server: Server, text: str) -> int:
        # llama.cpp reads `content`, vLLM `prompt` and `model`; each passes over the other's.
        body = msgspec.json.encode({"content": text, "prompt": text, "model": server.model})
        with self._session.post(
            f"{server.url}/tokenize",
            data=body,
            headers={**server.headers, "Content-Type": "application/json"},
            timeout=self.count_seconds,
            allow_redirects=False,
            stream=True,
        ) as response:
            if response.status_code == 429 or response.status_code >= 500:
                raise requests.HTTPError(response=response)
            if response.status_code != 200:
                raise _NotOffered
            try:
                answer = msgspec.json.decode(
                    read_bounded(response, 8 * len(body), self.count_seconds), type=_Answer
                )
            except (msgspec.MsgspecError, TooLarge, RecursionError):
                raise _NotOffered from None
        count = len(answer.tokens) if answer.count is None else answer.count
        if text and not count:
            raise _NotOffered
        self.window = answer.max_model_len or self.window
        return count
