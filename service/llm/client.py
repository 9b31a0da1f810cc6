"""Client of the model server: any OpenAI-compatible chat completions API."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import requests

from core import sse
from core.bounded_http import NETWORK_ERRORS, read_bounded
from core.settings import Settings
from service.interface_types import ReplyErrorCode
from service.llm.bundled import BundledModel, BundledModelUnavailable
from service.llm.cut_off import goes_on
from service.llm.tokenizer import ModelEndpoint, TokenCounter, Tokenizer
from service.twins import Sampling

logger = logging.getLogger(__name__)

Prompt = list[dict[str, str]]

# Value of finish_reason when the token limit cut off the reply, which is marked in the text.
FINISH_REASON_LENGTH = "length"
READ_BYTES = 64 * 1024
MAX_LIST_BYTES = 1024 * 1024
LIST_TIMEOUT_SECONDS = 10
# More than any model writes: an endless reply must not fill memory and database.
MAX_REPLY_CHARACTERS = 1_048_576
FALLBACK_MODEL_NAME = "default"
BUNDLED_PARALLEL_REPLIES = 2
BUSY_SENTENCE = "The model has too much to do at the moment. Try again in a minute."


class ModelFailed(Exception):
    """Raised when the model gives no reply; `sentence` is for people and contains no secrets."""

    def __init__(self, sentence: str, code: ReplyErrorCode = "model_failed") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


class PromptTooLong(Exception):
    """Raised when the prompt does not fit into the context window of the model."""


class ModelClient:
    """Client of a model server: the configured one, or else the bundled model."""

    def __init__(self, settings: Settings) -> None:
        # Maximum number of parallel replies; None for no limit.
        self.max_parallel_replies = settings.model_parallel or (
            None if settings.model_url else BUNDLED_PARALLEL_REPLIES
        )
        self._settings = settings
        self._model_name = ""
        self._is_closed = False
        self.bundled = (
            None
            if settings.model_url
            else BundledModel(
                settings.data_dir,
                window=settings.model_window,
                parallel=settings.model_parallel or BUNDLED_PARALLEL_REPLIES,
            )
        )
        self._session = requests.Session()
        self._session.trust_env = False
        self.tokenizer = Tokenizer(self._session)

    @property
    def window(self) -> int:
        """Return the context window in tokens: the setting, or less if the server reports less."""
        setting = self._settings.model_window
        return min(setting, self.tokenizer.window or setting)

    def token_counter(self, name: str | None) -> TokenCounter:
        """Return a function that counts tokens for a model; calling it may raise ModelFailed."""

        def find_endpoint() -> ModelEndpoint:
            url, key, default_name = self._endpoint()
            return ModelEndpoint(url.removesuffix("/v1"), name or default_name, self._headers(key))

        return self.tokenizer.counter(find_endpoint)

    def stream_reply(self, prompt: Prompt, sampling: Sampling) -> CompletionStream:
        """Start a reply. Raises ModelFailed and PromptTooLong."""
        url, key, name = self._endpoint()
        body = {"model": name, "messages": prompt, "stream": True} | sampling.request_options()
        try:
            response = self._session.post(
                f"{url}/chat/completions",
                json=body,
                headers=self._headers(key) | {"Accept": "text/event-stream"},
                timeout=(5, self._settings.model_timeout),
                allow_redirects=False,
                stream=True,
            )
        except NETWORK_ERRORS as error:
            if not self._is_closed:
                logger.warning("Request to the model server failed: %s", type(error).__name__)
            raise ModelFailed("The model does not answer at the moment.") from None
        if response.status_code != 200:
            if response.status_code == 404:
                self._model_name = ""  # the server may serve another model now
            with response:
                raise _error_from_response(response)
        return CompletionStream(response, self._settings.model_timeout)

    def close(self) -> None:
        """Close the connections, and end the bundled model if this process owns it."""
        self._is_closed = True
        if self.bundled:
            self.bundled.stop()
        self._session.close()

    def _endpoint(self) -> tuple[str, str | None, str]:
        if self.bundled:
            try:
                return *self.bundled.url_and_key(), self.bundled.name
            except BundledModelUnavailable as error:
                raise ModelFailed(str(error)) from None
        url = str(self._settings.model_url).rstrip("/")
        url = url if urlsplit(url).path else f"{url}/v1"
        self._model_name = self._settings.model or self._model_name or self._first_model_name(url)
        return url, self._settings.model_key, self._model_name or FALLBACK_MODEL_NAME

    def _first_model_name(self, url: str) -> str:
        """Return the first model in the list of the server, or "" if there is no usable list."""
        try:
            with self._session.get(
                f"{url}/models",
                headers=self._headers(self._settings.model_key),
                timeout=(5, 10),
                allow_redirects=False,
                stream=True,
            ) as response:
                models = json.loads(read_bounded(response, MAX_LIST_BYTES, LIST_TIMEOUT_SECONDS))
                return str(models["data"][0]["id"])
        except (*NETWORK_ERRORS, ValueError, LookupError, TypeError, RecursionError):
            return ""

    def _headers(self, key: str | None) -> dict[str, str]:
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        return {"Accept-Encoding": "identity"} | bearer


class CompletionStream:
    """A streaming reply: iterate to get its pieces; `stop` may be called from any thread."""

    def __init__(self, response: requests.Response, timeout: float) -> None:
        self._response = response
        self._timeout = timeout
        self._last_event_at = time.monotonic()
        self._stop_event = threading.Event()
        # Whether the token limit cut off the reply; set at the end of the iteration.
        self.is_cut_off = False

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text without lone surrogates and NUL. Raises ModelFailed."""
        reason, incomplete_character, length = "", "", 0
        pieces: list[str] = []
        with self._response:
            try:
                for event in sse.read_events(self._chunks()):
                    self._last_event_at = time.monotonic()
                    if event.data == "[DONE]":
                        reason = reason or event.data
                        break
                    text, finish_reason = _parse_chunk(event.data)
                    reason = finish_reason or reason
                    text, incomplete_character = _split_storable(incomplete_character + text)
                    length += len(text)
                    if length > MAX_REPLY_CHARACTERS:
                        raise ModelFailed("The reply was too long, and was cut off.")
                    if text:
                        pieces.append(text)
                        yield text
            except (*NETWORK_ERRORS, sse.EventTooLarge) as error:
                if not self._stop_event.is_set():
                    logger.warning("The model's reply was interrupted: %s", type(error).__name__)
        if self._stop_event.is_set():
            return
        if not reason:
            raise ModelFailed("The model broke off in the middle of its reply.")
        if reason == FINISH_REASON_LENGTH and length:
            self.is_cut_off = True
            yield goes_on("".join(pieces))

    def stop(self) -> None:
        """Stop the reply by closing the connection: a model server then stops generating."""
        self._stop_event.set()
        with suppress(*NETWORK_ERRORS, ValueError, RuntimeError):
            self._response.raw.shutdown()

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


def _parse_chunk(data: str) -> tuple[str, str]:
    """Return text and finish reason of a chunk, "" if missing. Raises ModelFailed on an error."""
    try:
        chunk: Any = json.loads(data)
        if chunk.get("error"):
            logger.warning("The model server reported an error in its stream.")
            raise ModelFailed("The model reported an error.")
        choice = (chunk.get("choices") or [{}])[0]
        text = (choice.get("delta") or {}).get("content")
        return text if isinstance(text, str) else "", str(choice.get("finish_reason") or "")
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return "", ""


def _error_from_response(response: requests.Response) -> Exception:
    status = response.status_code
    try:
        body = response.raw.read1(READ_BYTES, decode_content=True).decode("utf-8", "replace")
    except NETWORK_ERRORS:
        body = ""
    if status in (400, 413) and ("context" in body or "exceed" in body):
        return PromptTooLong()
    logger.warning("The model server answered with status %s.", status)
    if status == 429:
        return ModelFailed(BUSY_SENTENCE, "model_busy")
    if status in (401, 403):
        return ModelFailed("The model server refused the service's key. Please tell the operator.")
    if status == 404:
        return ModelFailed("The model server does not know the model. Please tell the operator.")
    return ModelFailed("The model has a problem at the moment.")
