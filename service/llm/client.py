"""Client of the model server: any OpenAI-compatible chat completions API."""

from __future__ import annotations

import json
import logging
import math
from typing import Any
from urllib.parse import urlsplit

import requests

from core.http import NETWORK_ERRORS, parse_retry_after, read_bounded
from core.settings import Settings
from core.urls import without_credentials
from service.llm.bundled import BundledModel, BundledModelUnavailable
from service.llm.completion_stream import READ_BYTES, CompletionStream, ModelFailed
from service.llm.special_tokens import neutralize
from service.llm.tokenizer import ModelEndpoint, TokenCounter, Tokenizer
from service.twins import Sampling

logger = logging.getLogger(__name__)

Prompt = list[dict[str, str]]

MAX_LIST_BYTES = 1024 * 1024
LIST_TIMEOUT_SECONDS = 10
FALLBACK_MODEL_NAME = "default"
BUNDLED_PARALLEL_REPLIES = 2
MODEL_PROBLEM = "The model has a problem right now."
BUSY_SENTENCE = "The model is busy. Try again in a minute."


class PromptTooLong(Exception):
    """Raised when the prompt does not fit into the context window of the model."""


class _UsageNotSupported(Exception):
    """Raised when the server refuses `stream_options`, which requests the token usage."""


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
        # Whether to request the token usage; False after the server has refused `stream_options`.
        self._reports_usage = True
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

        count = self.tokenizer.counter(find_endpoint)
        return (lambda text: count(neutralize(text))) if self.bundled else count

    def stream_reply(self, prompt: Prompt, sampling: Sampling) -> CompletionStream:
        """Start a reply. Raises ModelFailed, or PromptTooLong if the prompt does not fit."""
        url, key, name = self._endpoint()
        if self.bundled:
            prompt = [message | {"content": neutralize(message["content"])} for message in prompt]
        body: dict[str, Any] = {"model": name, "messages": prompt, "stream": True}
        body |= sampling.request_options()
        try:
            response = self._request_completion(url, key, body)
        except _UsageNotSupported:
            self._reports_usage = False
            response = self._request_completion(url, key, body)
        return CompletionStream(response, self._settings.model_timeout, body["model"])

    def close(self) -> None:
        """Close the connections, and end the bundled model if this process owns it."""
        self._is_closed = True
        if self.bundled:
            self.bundled.stop()
        self._session.close()

    def _request_completion(
        self, url: str, key: str | None, body: dict[str, Any]
    ) -> requests.Response:
        """Return the response if its status is 200, or else raise the error."""
        options = {"stream_options": {"include_usage": True}} if self._reports_usage else {}
        try:
            response = self._session.post(
                f"{url}/chat/completions",
                json=body | options,
                headers=self._headers(key) | {"Accept": "text/event-stream"},
                timeout=(5, self._settings.model_timeout),
                allow_redirects=False,
                stream=True,
            )
        except NETWORK_ERRORS as error:
            if not self._is_closed:
                values = without_credentials(url), type(error).__name__
                logger.warning("Request to the model server %s failed: %s", *values)
            raise ModelFailed("The model is not responding.", setting="TWINDOW_MODEL_URL") from None
        if response.status_code == 200:
            return response
        if response.status_code == 404:
            self._model_name = ""  # look up the name again: the server may have another model now
        with response:
            failure = _error_from_response(response)
        if isinstance(failure, _UsageNotSupported) and not options:
            raise ModelFailed(MODEL_PROBLEM)
        raise failure

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


def _error_from_response(response: requests.Response) -> Exception:
    status = response.status_code
    try:
        body = response.raw.read1(READ_BYTES, decode_content=True).decode("utf-8", "replace")
    except NETWORK_ERRORS:
        body = ""
    if status in (400, 413) and ("context" in body or "exceed" in body):
        return PromptTooLong()
    if status in (400, 422) and "stream_options" in body:
        return _UsageNotSupported()
    url = without_credentials(response.url)
    logger.warning("The model server responded with status %s at %s.", status, url)
    retry_after = parse_retry_after(response.headers)
    if status == 429 or (status == 503 and retry_after):
        seconds = math.ceil(retry_after) if retry_after else None
        return ModelFailed(BUSY_SENTENCE, "model_busy", seconds)
    if status in (401, 403):
        return ModelFailed(
            "The model server rejected the API key. Please contact your administrator.",
            setting="TWINDOW_MODEL_KEY",
        )
    if status == 404:
        return ModelFailed(
            "The model server doesn't have this model. Please contact your administrator.",
            setting="TWINDOW_MODEL",
        )
    return ModelFailed(MODEL_PROBLEM)
