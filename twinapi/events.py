"""The events of a reply: progress*, delta*, then exactly one complete or failed.

The interface does not show the types of the additional fields: any shape is read, none is an error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.languages import N_, SentenceTemplate, with_full_stop
from core.sse import ServerSentEvent
from twinapi.models import clean, message_text, parse_id

ERROR_FIELDS = ("message", "error", "detail", "errors", "msg", "description")
REPORTED_WITH_REASON = SentenceTemplate(N_("The service reported an error: %(said)s"))
REPORTED_WITHOUT_REASON = N_("The service reported an error without details.")
# All that is looked at of an error; to find what looks like a key costs more than its length.
MAX_SCANNED_CHARACTERS = 2_000
REDACTED = "•••"
# What looks like a key must not be shown, whoever put it into an error.
_SECRET = re.compile(
    r"\b(?:sk|tw|key|pk)[-_][\w-]{12,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|(?i:bearer\s+\S+)"
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What the service is doing. `percent` is 0..100 or unknown."""

    text: str = ""
    percent: float | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Complete:
    """The end of a good reply; None when the service does not repeat the text.

    `conversation_id` is the one that the service names, if it does; `cut_off` is whether it says
    that the reply is no longer because it may not be.
    """

    text: str | None
    conversation_id: str | None = None
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a reply that the service could not give; `code` is its word for programs."""

    sentence: str
    code: str = ""


Event = Progress | Delta | Complete | Failed


def parse(event: ServerSentEvent, secrets: Sequence[str] = ()) -> Event | None:
    """Read an event; None for one that says nothing we know. Secrets are left out of errors."""
    try:
        return _parse_data(json.loads(event.data), event.name, secrets)
    except (ValueError, RecursionError):
        return None


def _parse_data(data: object, name: str, secrets: Sequence[str]) -> Event | None:
    if not isinstance(data, Mapping):
        return None
    match data.get("type", name):
        case "progress":
            return parse_progress(data.get("progress"))
        case "delta":
            content = parse_delta(data.get("content"))
            return None if content is None else Delta(content)
        case "complete":
            return replace(parse_complete(data.get("message")), cut_off=data.get("cutOff") is True)
        case "error":
            return Failed(
                error_sentence(data.get("error"), secrets), parse_id(data.get("code")) or ""
            )
    return None


def parse_complete(message: object) -> Complete:
    """Read a message that ends a reply."""
    conversation_id = message.get("conversationId") if isinstance(message, Mapping) else None
    return Complete(message_text(message), parse_id(conversation_id))


def parse_progress(data: object) -> Progress:
    """Read progress: a number is a percentage, a text is a text, an object may hold both."""
    if isinstance(data, Mapping):
        label = next((v for k in ("label", "stage", "text", "message") if (v := data.get(k))), "")
        return Progress(
            clean(label)[:100] if isinstance(label, str) else "",
            _parse_percent(data.get("percent")),
        )
    if isinstance(data, str):
        number = re.fullmatch(r"\s*([\d.]+)\s*%\s*", data)
        return (
            Progress(percent=_parse_percent(number[1])) if number else Progress(clean(data)[:100])
        )
    percent = _parse_percent(data)
    return Progress(percent=percent * 100 if percent is not None and percent <= 1 else percent)


def parse_delta(data: object) -> str | None:
    """Read the content of a delta: a number is its text, nothing is "", all else is unknown."""
    if data is None:
        return ""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    return str(data)


def error_sentence(data: object, secrets: Sequence[str] = ()) -> str:
    """Read an error as one plain sentence."""
    text = error_text(data, secrets)
    if not text:
        return REPORTED_WITHOUT_REASON
    return REPORTED_WITH_REASON.format(said=with_full_stop(text))


def error_text(data: object, secrets: Sequence[str] = ()) -> str:
    """Find plain words in an error of any shape, 500 characters at most; "" if there are none."""
    if isinstance(data, Mapping):
        data = [data.get(name) for name in ERROR_FIELDS]
    if isinstance(data, list):
        return next((text for item in data if (text := error_text(item, secrets))), "")
    if not isinstance(data, str):
        return ""
    if len(data) > MAX_SCANNED_CHARACTERS:
        data = data[:MAX_SCANNED_CHARACTERS].rpartition(" ")[0] or data[:MAX_SCANNED_CHARACTERS]
    plain_text = " ".join(clean(data).split())
    for secret in secrets:
        plain_text = plain_text.replace(secret, REDACTED)
    # Last, because a secret that has lost its end is not known any more.
    return _SECRET.sub(REDACTED, plain_text)[:500]


def _parse_percent(data: object) -> float | None:
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    try:
        number = float(data)
    except (ValueError, OverflowError):
        return None
    return min(100.0, max(0.0, number)) if math.isfinite(number) else None
