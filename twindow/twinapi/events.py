"""The events of a reply: progress and deltas in any order, then one complete or failed.

The interface does not define the types of additional fields: any shape is accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from twindow.core.new_text import NewText
from twindow.core.sse import ServerSentEvent
from twindow.twinapi.models import MAX_NESTING, clean, clean_line, message_text, parse_id
from twindow.twinapi.progress import REDACTED, Progress, ProgressParser

ERROR_FIELDS = ("message", "error", "detail", "errors", "msg", "description", "title")
# Errors are truncated to this length: the search for keys takes more than linear time.
MAX_SCANNED_CHARACTERS = 2_000
SOURCE_FIELDS = ("file", "heading", "passage")
MAX_SOURCES = 10
MAX_SOURCE_CHARACTERS = 2_000
FAILED_STATUSES = {"error", "fail", "failed", "failure"}
# An id: 8 to 64 ASCII letters, digits, hyphens and underscores with a digit among them.
_RECEIPT = re.compile(r"(?=[\w-]*\d)[\w-]{8,64}", re.ASCII)
_WEB_URL = re.compile(r'https?://[^\s<>"]+')
# Text in an error that looks like a key is never displayed, even if it is not a known key.
_SECRET = re.compile(
    r"\b(?:sk|tw|key|pk)[-_][\w-]{12,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|(?i:bearer\s+\S+)"
)


class Delta(msgspec.Struct, frozen=True, tag="delta"):
    """A piece of the reply. The log of a reply stores it in this form."""

    text: str


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage of a file, which a reply quotes, cites or offers. It is Markdown.

    `url` is a web address, or "". The log of a reply stores it in this form.
    """

    file: str
    heading: str
    passage: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Complete:
    """The end of a successful reply; `text` is None if the service does not repeat it.

    `conversation_id` is set if the service names it. `is_cut_off` is True if the service reports
    that the reply was cut off at its maximum length. `is_text_ignored` is True if the service has
    sent a text that is not the reply. `is_record` is True if the text is that of a stored message.
    """

    text: str | None
    conversation_id: str | None = None
    is_cut_off: bool = False
    is_text_ignored: bool = False
    sources: tuple[Source, ...] = ()
    is_record: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a failed reply.

    `detail` is the plain text of the service, and `code` its machine-readable error; both may be
    "".
    """

    detail: str
    code: str = ""


Event = Progress | Delta | Complete | Failed


class EventParser:
    """Parser of the events of one reply; `key` is masked in errors and progress."""

    def __init__(self, key: str = "") -> None:
        self._key = key
        self._progress = ProgressParser(key)
        self._high_surrogate = ""
        self._new_text = NewText()

    def parse(self, event: ServerSentEvent) -> Event | None:
        """Parse an event; return None if it is unknown."""
        try:
            data = json.loads(event.data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(data, Mapping):
            return None
        match data.get("type", event.name):
            case "progress":
                return self._progress.parse(data.get("progress", data))
            case "delta":
                content = parse_delta(data.get("content"))
                if content is None:
                    return None
                return Delta(clean(self._whole_characters(self._new_text.feed(content))))
            case "complete":
                complete = parse_complete(data.get("message"))
                return replace(
                    complete,
                    is_cut_off=complete.is_cut_off or data.get("cutOff") is True,
                    sources=complete.sources or parse_sources(data.get("sources")),
                )
            case "error":
                error = data.get("error")
                fields = error if isinstance(error, Mapping) else {}
                code = parse_id(data.get("code", fields.get("code"))) or ""
                return Failed(error_text(error or data, self._key), code)
        return None

    def close(self) -> str:
        """Return the text that was held back, at the end of the reply."""
        return clean(self._new_text.close())

    def _whole_characters(self, content: str) -> str:
        """Hold back the first half of a character, such as an emoji, until the next delta."""
        content = self._high_surrogate + content
        is_half = "\ud800" <= content[-1:] <= "\udbff"
        self._high_surrogate = content[-1] if is_half else ""
        return content.removesuffix(self._high_surrogate)


def parse_complete(message: object) -> Complete:
    """Parse the message of a complete event, or of a reply that is not streamed."""
    fields = message if isinstance(message, Mapping) else {}
    text = message_text(message)
    return Complete(
        None if text == fields.get("status") else text,
        parse_id(fields.get("conversationId")),
        is_cut_off=fields.get("cutOff") is True,
        sources=parse_sources(fields.get("sources")),
        # The message of the person may be returned as a receipt.
        is_record=bool(fields.get("content") and {"id", "role"} & fields.keys())
        and fields.get("role") != "user",
    )


def parse_sources(sources: object) -> tuple[Source, ...]:
    """Parse the sources of a reply; entries of another shape are ignored."""
    parsed = []
    for entry in sources[:MAX_SOURCES] if isinstance(sources, list) else ():
        values = [entry.get(name) for name in SOURCE_FIELDS] if isinstance(entry, Mapping) else []
        texts = [clean(text)[:MAX_SOURCE_CHARACTERS] for text in values if isinstance(text, str)]
        if len(texts) == len(SOURCE_FIELDS):
            url = _WEB_URL.fullmatch(clean_line(entry.get("url"), MAX_SOURCE_CHARACTERS))
            parsed.append(Source(texts[0], texts[1], texts[2], url[0] if url else ""))
    return tuple(parsed)


def parse_whole_reply(payload: object) -> Complete | Failed:
    """Parse a reply that is not streamed.

    Outside of `data`, a `message` beside `error`, `status` or `success` reports a result, such as
    `{"status": "error", "message": "engine died"}`; it is not the reply.
    """
    if not isinstance(payload, Mapping) or "data" in payload:
        return parse_complete(payload["data"] if isinstance(payload, Mapping) else payload)
    is_report = "message" in payload and not {"content", "text", "reply"} & payload.keys()
    if not is_report or not {"error", "status", "success"} & payload.keys():
        return parse_complete(payload)
    status = str(payload.get("status", "")).lower()
    if payload.get("error") or payload.get("success") is False or status in FAILED_STATUSES:
        return Failed(error_text(payload), parse_id(payload.get("code")) or "")
    return Complete(None, is_text_ignored=True)


def resolve_text(complete: Complete, streamed: str) -> Complete:
    """Return the end of a reply with the text that it replaces the streamed text by, or None.

    A stored message is the reply. Otherwise, the streamed text is: many services end it with a
    receipt, such as an id or "Message completed". The text at the end replaces it only if it is
    plausibly the same reply: without white space, the streamed text is its beginning, or both begin
    with the same four fifths of the shorter one, and neither is twice as long. Without streamed
    text, any text but a receipt is the reply.
    """
    if complete.text is None or (complete.is_record and complete.text.strip()):
        return complete
    streamed_text, final_text = "".join(streamed.split()), "".join(complete.text.split())
    if streamed_text:
        shorter, longer = sorted((len(streamed_text), len(final_text)))
        pairs = zip(streamed_text, final_text, strict=False)
        common = next((n for n, pair in enumerate(pairs) if pair[0] != pair[1]), shorter)
        is_same = common == len(streamed_text) or (
            5 * common >= 4 * shorter and longer < 2 * shorter
        )
    else:
        is_same = not _RECEIPT.fullmatch(final_text)
    return complete if is_same else replace(complete, text=None, is_text_ignored=True)


def parse_delta(data: object) -> str | None:
    """Return the content of a delta: numbers as text, "" for null, None for other types."""
    if data is None or isinstance(data, str):
        return data or ""
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    return str(data) if is_number else message_text(data)


def error_text(data: object, key: str = "", max_nesting: int = MAX_NESTING) -> str:
    """Return the plain text in an error of any shape, at most 500 characters; "" if none."""
    if max_nesting == 0:
        return ""
    if isinstance(data, Mapping):
        location, message = data.get("loc"), data.get("msg")
        if isinstance(location, list) and location and isinstance(message, str):
            data = f"{location[-1]}: {message}"  # FastAPI names the field apart from the reason
        else:
            lists = [(name, value) for name, value in data.items() if isinstance(value, list)]
            reasons = [(name, error_text(value, "", max_nesting - 1)) for name, value in lists]
            data = [data.get(name) for name in ERROR_FIELDS]
            data += [f"{name}: {reason}" for name, reason in reasons if reason]
    if isinstance(data, list):
        texts = (error_text(item, key, max_nesting - 1) for item in data)
        return next(filter(None, texts), "")
    if not isinstance(data, str):
        return ""
    if len(data) > MAX_SCANNED_CHARACTERS:
        data = data[:MAX_SCANNED_CHARACTERS].rpartition(" ")[0] or data[:MAX_SCANNED_CHARACTERS]
    plain_text = " ".join(clean(data).split())
    if key:
        plain_text = plain_text.replace(key, REDACTED)
    # Truncate last, because a truncated key is not recognised.
    return _SECRET.sub(REDACTED, plain_text)[:500]
