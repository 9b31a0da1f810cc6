"""Responses of a model server other than 200: what they say, and the errors that people see."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import requests

from twindow.core.languages import N_
from twindow.core.outbound.responses import NETWORK_ERRORS, describe_response
from twindow.core.outbound.retry_after import parse_retry_after
from twindow.service.interface_types import ReplyErrorCode
from twindow.service.llm.chunks import MAX_NESTING, error_sentence, is_other_limit, parse_json

READ_BYTES = 64 * 1024
FILTERED = N_("The model server's content filter stopped this reply.")
MODEL_PROBLEM = N_("The model has a problem right now.")
BUSY = N_("The model is busy. Try again in a minute.")
LOADING = N_("The model is still loading. Try again in a minute.")
NO_CREDIT = N_("The model server has reached its usage limit. Please contact your administrator.")
WRONG_KEY = N_("The model server rejected the API key. Please contact your administrator.")
NO_MODEL = N_("The model server doesn't have this model. Please contact your administrator.")

_LOADING_WORDS = re.compile(r"\bloading\b|being loaded", re.IGNORECASE)


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


class PromptTooLong(Exception):
    """Raised when the prompt does not fit into the context window of the model."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a response means: its status, its words, and the error for people.

    `names` are the parameters that the response names; `description` is for the log.
    """

    status: int
    words: str
    names: frozenset[str]
    retry_after: int | None = None
    description: str = ""

    @property
    def is_loading(self) -> bool:
        """Return whether the server is still loading the model."""
        return self.status == 503 and bool(_LOADING_WORDS.search(self.words))

    def to_error(self) -> ModelFailed:
        """Return the error for people."""
        if self.is_loading:
            return ModelFailed(LOADING, "model_busy", setting="TWINDOW_MODEL_TIMEOUT")
        if self.status == 503 and self.retry_after:
            return ModelFailed(BUSY, "model_busy", self.retry_after)
        if self.status in (400, 403, 413) and is_other_limit(self.words):
            return ModelFailed(NO_CREDIT)
        for statuses, pattern, sentence, code, setting in _MEANINGS:
            if self.status in statuses and re.search(pattern, self.words, re.IGNORECASE):
                seconds = self.retry_after if code == "model_busy" else None
                return ModelFailed(sentence, code, seconds, setting=setting)
        return ModelFailed(MODEL_PROBLEM)


# Statuses, words, sentence, code and setting; the first row that fits counts.
_MEANINGS: tuple[tuple[tuple[int, ...], str, str, ReplyErrorCode, str], ...] = (
    ((400, 403), "content_filter|content management policy", FILTERED, "model_failed", ""),
    ((402,), "", NO_CREDIT, "model_failed", ""),
    ((400, 422, 429), "insufficient_quota|budget_exceeded", NO_CREDIT, "model_failed", ""),
    ((429, 529), "", BUSY, "model_busy", ""),
    ((500, 503), r"\bbusy\b|overloaded|at capacity", BUSY, "model_busy", ""),
    (
        (400,),
        # LiteLLM without a database looks for an unknown key in it.
        "api key not valid|(?:invalid|incorrect) api key|no connected db",
        WRONG_KEY,
        "model_failed",
        "TWINDOW_MODEL_KEY",
    ),
    ((401, 403), "", WRONG_KEY, "model_failed", "TWINDOW_MODEL_KEY"),
    ((400,), "invalid model name", NO_MODEL, "model_failed", "TWINDOW_MODEL"),
    ((404,), "", NO_MODEL, "model_failed", "TWINDOW_MODEL"),
)


def read_refusal(response: requests.Response, key: str | None) -> Refusal:
    """Read a response; its words are the server's own, without the key."""
    # LiteLLM renames the headers of the server behind it.
    renamed = {"Retry-After": response.headers.get("llm_provider-retry-after", "")}
    seconds = parse_retry_after(response.headers) or parse_retry_after(renamed)
    retry_after = math.ceil(seconds) if seconds else None
    try:
        body = response.raw.read1(READ_BYTES, decode_content=True)
    except NETWORK_ERRORS:
        body = b""
    refusal = parse_refusal(response.status_code, body.decode("utf-8", "replace"), key)
    description = describe_response(response, b"" if refusal.words else body)
    return replace(refusal, retry_after=retry_after, description=description)


def parse_refusal(status: int, body: str, key: str | None) -> Refusal:
    """Parse the body of a response, or an error in a stream; the words are without the key."""
    data = parse_json(body) or ("" if "<" in body else body)
    values = _values(data, ("type", "code", "status"))
    kinds = " ".join(value for value in dict.fromkeys(values) if not value.isdecimal())
    words = f"{error_sentence(data)} {kinds}".strip()
    names = frozenset(_values(data, ("param", "loc")))
    words = words.replace(key, "[key]") if key else words
    return Refusal(status, words, names)


def _values(data: object, fields: tuple[str, ...], depth: int = MAX_NESTING) -> Iterator[str]:
    """Yield the words and numbers in some fields, at any depth."""
    if isinstance(data, str):
        data = parse_json(data)  # some servers repeat the error of another server as JSON
    children: Any = data.values() if isinstance(data, Mapping) else data
    if not depth or not isinstance(data, Mapping | list):
        return
    if isinstance(data, Mapping):
        for name in fields:
            value = data.get(name)
            items = value if isinstance(value, list) else [value]
            yield from (str(item) for item in items if isinstance(item, str | int) and item)
    for child in children:
        yield from _values(child, fields, depth - 1)
