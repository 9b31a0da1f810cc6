"""Resources of the service. Only ids are required."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

# The control characters C0, DEL and C1, except tabs and line ends.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")

_NAMES = ("name", "title", "displayName", "display_name")
MAX_URL_CHARACTERS = 2000
MAX_ID_CHARACTERS = 500
MAX_LANGUAGE_CHARACTERS = 35
# JSON content nested more deeply than this is ignored, because Python would raise RecursionError.
MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Twin:
    """A configured assistant."""

    id: str
    name: str
    description: str = ""
    greeting: str = ""
    starters: Sequence[str] = ()
    avatar_url: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation on the service.

    `delete_url` is the URL at which DELETE deletes it, or "" if the service has announced none.
    """

    id: str
    delete_url: str = ""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A new API key; `key` is the secret itself, and `id` is "" if the service does not name it."""

    id: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ListedApiKey:
    """An API key without its secret. Times are in seconds since 1970."""

    id: str
    name: str
    scope: str
    created_at: float | None
    last_used_at: float | None


def parse_twin(data: object) -> Twin | None:
    """Parse a twin; return None if its id is missing or cannot be part of a URL."""
    if not isinstance(data, Mapping) or not (id_ := parse_id(data.get("id"))):
        return None
    if {".", ".."} & set(id_.split("/")):
        return None
    starters = data.get("starters")
    return Twin(
        id=id_,
        name=next((n for field in _NAMES if (n := clean_line(data.get(field), 100))), id_[:100]),
        description=clean_text(data.get("description"), 2000),
        greeting=clean_text(data.get("greeting"), 2000),
        starters=[s for item in starters if (s := clean_text(item, 300))][:6]
        if isinstance(starters, list)
        else (),
        avatar_url=_avatar_url(data),
        language=_language(data),
    )


def parse_listed_api_key(data: object) -> ListedApiKey | None:
    """Parse an API key of a list; return None if it has no id."""
    if not isinstance(data, Mapping) or not (id_ := parse_id(data.get("id"))):
        return None
    return ListedApiKey(
        id=id_,
        name=clean_line(data.get("name"), 100),
        scope=clean_line(data.get("scope"), 40),
        created_at=_timestamp(data.get("createdAt")),
        last_used_at=_timestamp(data.get("lastUsedAt")),
    )


def _timestamp(data: object) -> float | None:
    try:
        return datetime.fromisoformat(data).timestamp() if isinstance(data, str) else None
    except (ValueError, OverflowError):
        return None


def message_text(data: object, max_nesting: int = MAX_NESTING) -> str | None:
    """Return the text of a message (a string, a list or an object), or None if there is none."""
    if isinstance(data, str):
        return clean(data)
    if max_nesting == 0:
        return None
    if isinstance(data, list):
        parts = [part for item in data if (part := message_text(item, max_nesting - 1)) is not None]
        return "".join(parts) if parts else None
    if isinstance(data, Mapping):
        for name in ("content", "text", "message", "reply"):
            if (text := message_text(data.get(name), max_nesting - 1)) is not None:
                return text
    return None


def parse_id(data: object) -> str | None:
    """Return an id, which is a string or a number, as a string; None if it is not usable."""
    if isinstance(data, bool) or not isinstance(data, str | int) or data == "":
        return None
    parsed_id = clean(str(data))
    return parsed_id if len(parsed_id) <= MAX_ID_CHARACTERS else None


def _avatar_url(data: Mapping[str, Any]) -> str:
    """Return the avatar URL of a twin, or "" if the URL is too long."""
    names = ("avatarUrl", "avatar_url", "avatar", "imageUrl")
    avatar_url = next(
        (url for name in names if (url := clean_line(data.get(name), MAX_URL_CHARACTERS + 1))), ""
    )
    return avatar_url if len(avatar_url) <= MAX_URL_CHARACTERS else ""


def _language(data: Mapping[str, Any]) -> str:
    """Return the language code (BCP 47) of a twin's description, or "" if it is invalid."""
    code = clean_text(data.get("language"), MAX_LANGUAGE_CHARACTERS + 1)
    return code if len(code) <= MAX_LANGUAGE_CHARACTERS and _LANGUAGE_TAG.fullmatch(code) else ""


def clean_text(data: object, limit: int) -> str:
    """Return a text for display, truncated to `limit` characters; "" if `data` is no string."""
    return clean(data).strip()[:limit] if isinstance(data, str) else ""


def clean_line(data: object, limit: int) -> str:
    """Return a name for display on one line; "" if `data` is no string.

    In an export, the second line of a name could pass for the text of another person.
    """
    return " ".join(clean(data).split())[:limit] if isinstance(data, str) else ""


def clean(data: str) -> str:
    """Replace lone surrogates and control characters, which databases and pages cannot hold."""
    if data.isprintable():
        return data
    well_formed = data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL_CHARACTERS.sub("�", well_formed)
