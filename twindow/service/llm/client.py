"""Client of the model server: any OpenAI-compatible chat completions API."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests

from twindow.core.clock import SYSTEM_CLOCK
from twindow.core.languages import N_
from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.responses import NETWORK_ERRORS, describe_network_error
from twindow.core.settings import Settings
from twindow.core.urls import without_credentials
from twindow.service.llm.completion_stream import CompletionStream
from twindow.service.llm.dialect import Dialect, Prompt
from twindow.service.llm.model_list import can_chat, list_models
from twindow.service.llm.refusals import ModelFailed, Refusal, parse_refusal, read_refusal
from twindow.service.llm.tokenizer import ModelEndpoint, TokenCounter, Tokenizer
from twindow.service.twins import FrontMatter

logger = logging.getLogger(__name__)

FALLBACK_MODEL_NAME = "default"
NOT_RESPONDING = N_("The model is not responding.")
NO_CHAT_MODEL = N_("The model server has no chat model. Please contact your administrator.")
LOADING_RETRY_SECONDS = 2.0


class Endpoint(NamedTuple):
    """Base URL of a model server, its API key, and the name of its default model."""

    url: str
    key: str | None
    model: str


class ModelClient:
    """Client of a model server. `max_parallel_replies` is None if there is no limit."""

    max_history_messages = 200
    clock = SYSTEM_CLOCK

    def __init__(
        self, settings: Settings, pause_seconds: Callable[[], float] = lambda: 0.0
    ) -> None:
        self.max_parallel_replies = settings.model_parallel
        self._settings = settings
        self._pause_seconds = pause_seconds
        self._model_name = ""
        self._is_closed = False
        # What each model of each server accepts.
        self._dialects: dict[tuple[str, str], Dialect] = {}
        self._session = open_session(OutboundAdapter(settings.outbound))
        self.tokenizer = Tokenizer(self._session)

    @property
    def window(self) -> int:
        """Return the context window in tokens: the setting, or less if the server reports less."""
        setting = self._settings.model_window
        return min(setting, self.tokenizer.window or setting)

    def token_counter(self, name: str | None) -> TokenCounter:
        """Return a function that counts tokens for a model; calling it may raise ModelFailed."""

        def find_endpoint() -> ModelEndpoint:
            url, key, default_name = self._find_endpoint()
            return ModelEndpoint(
                url.partition("?")[0].removesuffix("/v1"), name or default_name, self._headers(key)
            )

        return self.tokenizer.counter(find_endpoint)

    def stream_reply(self, prompt: Prompt, front_matter: FrontMatter) -> CompletionStream:
        """Start a reply. Raises ModelFailed, or PromptTooLong if the prompt does not fit."""
        url, key, default_name = self._find_endpoint()
        options = front_matter.request_options()
        name = str(options.pop("model", default_name))
        dialect = self._dialects.setdefault((url, name), Dialect())

        def body() -> dict[str, Any]:
            return dialect.request_body(name, prompt, options)

        def learn(response: requests.Response, refusal: Refusal) -> bool:
            sent = json.loads(response.request.body or "")
            dialect.learn(refusal, sent, front_matter.max_tokens)
            return bool(body() != sent)

        return CompletionStream(
            lambda: self._request_completion(url, key, body, learn),
            lambda response, error: learn(response, parse_refusal(400, error, key)),
            dialect,
            self._settings.model_timeout,
            name,
            pause_seconds=self._pause_seconds,
        )

    def close(self) -> None:
        """Close the connections."""
        self._is_closed = True
        self._session.close()

    def _request_completion(
        self,
        url: str,
        key: str | None,
        body: Callable[[], dict[str, Any]],
        learn: Callable[[requests.Response, Refusal], bool],
    ) -> requests.Response:
        """Return the response if its status is 200, or else raise the error.

        The request is sent again if `learn` returns that a refusal changes its `body`. A server
        that is loading the model is asked until the time is over.
        """
        deadline = self.clock.monotonic() + self._settings.model_timeout
        logged: tuple[str, str, str] | None = None
        while True:
            response = self._send(url, key, body())
            if response.status_code == 200:
                return response
            if response.status_code == 404:
                self._model_name = ""  # look up the name: the server may have another model now
            with response:
                refusal = read_refusal(response, key)
            values = without_credentials(url), refusal.description, refusal.words
            if values != logged:
                logger.warning("The model server %s responded with %s: %s", *values)
                logged = values
            if refusal.is_loading and self.clock.monotonic() < deadline:
                self.clock.sleep(LOADING_RETRY_SECONDS)
            elif not learn(response, refusal):
                raise refusal.to_error()

    def _send(self, url: str, key: str | None, body: dict[str, Any]) -> requests.Response:
        try:
            return self._session.post(
                _url_below(url, "chat/completions"),
                json=body,
                headers=self._headers(key) | {"Accept": "text/event-stream"},
                timeout=(5, self._settings.model_timeout),
                allow_redirects=False,
                stream=True,
            )
        except NETWORK_ERRORS as error:
            if not self._is_closed:
                values = without_credentials(url), describe_network_error(error)
                logger.warning("Request to the model server %s failed: %s", *values)
            raise ModelFailed(NOT_RESPONDING, setting=_setting_at_fault(error)) from None

    def _find_endpoint(self) -> Endpoint:
        url = _base_url(str(self._settings.model_url))
        self._model_name = self._settings.model or self._model_name or self._first_model_name(url)
        return Endpoint(url, self._settings.model_key, self._model_name or FALLBACK_MODEL_NAME)

    def _first_model_name(self, url: str) -> str:
        """Return the first chat model of the server, or "" if there is no usable list.

        Raises ModelFailed if none of the models can chat.
        """
        headers = self._headers(self._settings.model_key)
        names = list_models(self._session, _url_below(url, "models"), headers)
        chat_names = list(filter(can_chat, names))
        if names and not chat_names:
            logger.warning("The model server has no chat model: %.300s", ", ".join(names))
            raise ModelFailed(NO_CHAT_MODEL, setting="TWINDOW_MODEL")
        return chat_names[0] if chat_names else ""

    def _headers(self, key: str | None) -> dict[str, str]:
        # Azure reads keys from a header of its own.
        is_azure = (urlsplit(str(self._settings.model_url)).hostname or "").endswith(".azure.com")
        name, value = ("api-key", key) if is_azure else ("Authorization", f"Bearer {key}")
        return {"Accept-Encoding": "identity"} | ({name: value} if key and value else {})


def _setting_at_fault(error: Exception) -> str:
    match error:
        case requests.exceptions.SSLError():
            return "TWINDOW_CA_FILE"
        case requests.exceptions.ProxyError():
            return "TWINDOW_OUTBOUND_PROXY"
        case requests.exceptions.ReadTimeout():
            return "TWINDOW_MODEL_TIMEOUT"
    return "TWINDOW_MODEL_URL"


def _base_url(setting: str) -> str:
    """Return the base URL of the API. It may have a query, such as `?api-version=…` of Azure."""
    url, mark, query = setting.strip().partition("?")
    url = url.rstrip("/").removesuffix("/chat/completions")
    url = url if urlsplit(url).path else f"{url}/v1"
    return f"{url}{mark}{query}"


def _url_below(base_url: str, path: str) -> str:
    url, mark, query = base_url.partition("?")
    return f"{url}/{path}{mark}{query}"
