"""Token counts: from the model server if it supports them, else estimated."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

import msgspec
import requests

from twindow.core.outbound.responses import NETWORK_ERRORS, ResponseTooLarge, read_bounded

logger = logging.getLogger(__name__)

# A byte-level tokenizer needs about one token per three bytes of prose.
BYTES_PER_TOKEN = 3

TokenCounter = Callable[[str], int]


class _NotSupported(Exception):
    """Raised when a server does not count tokens."""


class _TokenizeResponse(msgspec.Struct):
    """Response of llama.cpp (tokens) or vLLM (tokens, their count and max_model_len)."""

    tokens: list[Any]
    max_model_len: Annotated[int, msgspec.Meta(ge=1)] | None = None


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Base URL of a model server (without /v1), model name, and request headers."""

    url: str
    model: str
    headers: Mapping[str, str] = field(compare=False)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text."""
    return len(text.encode()) // BYTES_PER_TOKEN


class Tokenizer:
    """Counts tokens with the model server.

    `window` is the context window in tokens that the server reported, or None.
    """

    # `count_timeout_seconds` limits the time for all counts of one reply. After a failure, counts
    # are estimated until one of the two retry times has passed.
    count_timeout_seconds = 2.0
    unsupported_retry_seconds = 600.0
    unreachable_retry_seconds = 60.0

    def __init__(self, session: requests.Session) -> None:
        self.window: int | None = None
        self._session = session
        self._retry_at: dict[ModelEndpoint, float] = {}

    def counter(self, find_endpoint: Callable[[], ModelEndpoint]) -> TokenCounter:
        """Return a function that counts the tokens of the texts of one prompt.

        The function estimates the counts if the server fails, or after `count_timeout_seconds`.
        The first call also calls `find_endpoint`, whose exceptions propagate.
        """
        endpoint_and_deadline = cache(
            lambda: (find_endpoint(), time.monotonic() + self.count_timeout_seconds)
        )
        return lambda text: self._count(text, *endpoint_and_deadline())

    def _count(self, text: str, endpoint: ModelEndpoint, deadline: float) -> int:
        now = time.monotonic()
        if now >= deadline or now < self._retry_at.get(endpoint, 0):
            return estimate_tokens(text)
        try:
            return self._request_count(endpoint, text)
        except _NotSupported:
            retry_delay = self.unsupported_retry_seconds
        except NETWORK_ERRORS as error:
            logger.warning("The model server could not count tokens: %s", type(error).__name__)
            retry_delay = self.unreachable_retry_seconds
        self._retry_at[endpoint] = time.monotonic() + retry_delay
        return estimate_tokens(text)

    def _request_count(self, endpoint: ModelEndpoint, text: str) -> int:
        # llama.cpp reads `content`, vLLM `prompt` and `model`; each ignores the other's fields.
        body = msgspec.json.encode({"content": text, "prompt": text, "model": endpoint.model})
        with self._session.post(
            f"{endpoint.url}/tokenize",
            data=body,
            headers={**endpoint.headers, "Content-Type": "application/json"},
            timeout=self.count_timeout_seconds,
            allow_redirects=False,
            stream=True,
        ) as response:
            if response.status_code == 429 or response.status_code >= 500:
                raise requests.HTTPError(response=response)
            if response.status_code != 200:
                raise _NotSupported
            try:
                tokenize_response = msgspec.json.decode(
                    read_bounded(response, 8 * len(body), self.count_timeout_seconds),
                    type=_TokenizeResponse,
                )
            except (msgspec.MsgspecError, ResponseTooLarge, RecursionError):
                raise _NotSupported from None
        count = len(tokenize_response.tokens)
        if text and not count:
            raise _NotSupported
        self.window = tokenize_response.max_model_len or self.window
        return count
