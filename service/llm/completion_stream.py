"""A streamed chat completion: pieces of text from the model server."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import requests

from core import sse
from core.http import NETWORK_ERRORS
from service.interface_types import ReplyErrorCode
from service.llm.usage import Usage, parse_usage

logger = logging.getLogger(__name__)

# Value of finish_reason when the token limit cut off the reply.
FINISH_REASON_LENGTH = "length"
READ_BYTES = 64 * 1024
# More than any model writes: an endless reply must not fill memory and database.
MAX_REPLY_CHARACTERS = 1_048_576


class ModelFailed(Exception):
    """Raised when the model gives no reply; `sentence` is for people and contains no secrets.

    `setting` is the name of the setting that an operator should check, or "".
    """

    def __init__(
        self,
        sentence: str,
        code: ReplyErrorCode = "model_failed",
        retry_after: int | None = None,
        *,
        setting: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
        self.retry_after = retry_after
        self.setting = setting


class CompletionStream:
    """A streaming reply: iterate to get its pieces; `stop` may be called from any thread."""

    def __init__(self, response: requests.Response, timeout: float, model: str) -> None:
        self._response = response
        self._timeout = timeout
        self._model = model
        self._last_event_at = time.monotonic()
        self._stop_event = threading.Event()
        # Whether the token limit cut off the reply; set at the end of the iteration.
        self.is_cut_off = False
        # Set during the iteration if the model server reports the token usage.
        self.usage: Usage | None = None

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text without lone surrogates and NUL. Raises ModelFailed."""
        reason, incomplete_character, length = "", "", 0
        with self._response:
            try:
                for event in sse.read_events(self._chunks()):
                    self._last_event_at = time.monotonic()
                    if event.data == "[DONE]":
                        reason = reason or event.data
                        break
                    text, finish_reason = self._parse_chunk(event.data)
                    reason = finish_reason or reason
                    text, incomplete_character = _split_storable(incomplete_character + text)
                    length += len(text)
                    if length > MAX_REPLY_CHARACTERS:
                        raise ModelFailed("The reply was too long and was cut off.")
                    if text:
                        yield text
            except (*NETWORK_ERRORS, sse.EventTooLarge) as error:
                if not self._stop_event.is_set():
                    logger.warning("The model's reply was interrupted: %s", type(error).__name__)
        if self._stop_event.is_set():
            return
        if not reason:
            raise ModelFailed("The model's reply was interrupted.")
        self.is_cut_off = reason == FINISH_REASON_LENGTH

    def stop(self) -> None:
        """Stop the reply by closing the connection: a model server then stops generating."""
        self._stop_event.set()
        with suppress(*NETWORK_ERRORS, ValueError, RuntimeError):
            self._response.raw.shutdown()

    def _parse_chunk(self, data: str) -> tuple[str, str]:
        """Return the text and the finish reason of a chunk; both may be "". Raises ModelFailed."""
        try:
            chunk: Any = json.loads(data)
            if chunk.get("error"):
                logger.warning("The model server reported an error in its stream.")
                raise ModelFailed("The model reported an error.")
            usage = parse_usage(chunk.get("usage"), chunk.get("model"), self._model)
            self.usage = usage or self.usage
            choice = (chunk.get("choices") or [{}])[0]
            text = (choice.get("delta") or {}).get("content")
            return text if isinstance(text, str) else "", str(choice.get("finish_reason") or "")
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return "", ""

    def _chunks(self) -> Iterator[bytes]:
        while chunk := self._response.raw.read1(READ_BYTES, decode_content=True):
            # SSE comments reset the socket timeout, but only events count as progress.
            if time.monotonic() - self._last_event_at > self._timeout:
                raise requests.ReadTimeout
            yield chunk


def _split_storable(text: str) -> tuple[str, str]:
    """Return the storable text, and a trailing high surrogate to prepend to the next piece.

    JSON strings may contain lone surrogates and NUL, which UTF-8 or PostgreSQL cannot store; both
    are replaced with U+FFFD.
    """
    high_surrogate = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    storable_text = (
        text.removesuffix(high_surrogate)
        .encode("utf-16-le", "surrogatepass")
        .decode("utf-16-le", "replace")
    )
    return storable_text.replace("\0", "\ufffd"), high_surrogate
