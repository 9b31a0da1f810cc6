"""What the service speaks of. Only ids are certain: the rest is read widely, kept in `extra`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# All but tab and line ends (C0 and DEL; C1 as well, which no keyboard writes).
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")

MAX_URL_CHARACTERS = 2000
MAX_LANGUAGE_CHARACTERS = 35

Json = Mapping[str, Any]


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
    extra: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, as the service knows it."""

    id: str
    twin_id: str
    title: str = ""
    extra: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `whole` is False for a reply of which the service says that it was cut off."""

    content: str
    id: str = ""
    role: str = "assistant"
    reply_to: str = ""
    created_at: str = ""
    is_complete: bool = True
    extra: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A new key; `key` is the secret itself."""

    key: str = field(repr=False)
    name: str = ""
    scope: str = ""
    extra: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, and whether there may be more on the next page."""

    items: Sequence[T]
    has_more: bool
    skipped_count: int = 0


def parse_twin(data: object) -> Twin | None:
    """Read a twin; without an id it is none, nor with one that no address can hold."""
    if not isinstance(data, Mapping) or not (id_ := parse_id(data.get("id"))):
        return None
    if {".", ".."} & set(id_.split("/")):
        return None
    starters = data.get("starters")
    return Twin(
        id=id_,
        name=clean_line(data.get("name"), 100) or id_[:100],
        description=clean_text(data.get("description"), 2000),
        greeting=clean_text(data.get("greeting"), 2000),
        starters=[s for item in starters if (s := clean_text(item, 300))][:6]
        if isinstance(starters, list)
        else (),
        avatar_url=_avatar_url(data),
        language=_language(data),
        extra=data,
    )


def parse_conversation(data: object) -> Conversation | None:
    """Read a conversation; without an id it is none."""
    if not isinstance(data, Mapping) or not (id_ := parse_id(data.get("id"))):
        return None
    return Conversation(
        id=id_,
        twin_id=parse_id(data.get("twinId")) or "",
        title=clean_line(data.get("title"), 200),
        extra=data,
    )


def parse_message(data: object) -> Message | None:
    """Read a message of a history; without a role or a text it is none."""
    if not isinstance(data, Mapping) or not isinstance(role := data.get("role"), str):
        return None
    content = message_text(data)
    is_complete = data.get("status", "complete") in ("complete", "completed")
    if content is None:
        return None
    return Message(
        content=content,
        id=parse_id(data.get("id")) or "",
        role=role,
        reply_to=parse_id(data.get("replyTo")) or "",
        created_at=clean_text(data.get("createdAt"), 40),
        is_complete=is_complete,
        extra=data,
    )


def message_text(data: object) -> str | None:
    """Find the text of a message, whatever its shape; None when there is none."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        parts = [part for item in data if (part := message_text(item)) is not None]
        return "".join(parts) if parts else None
    if isinstance(data, Mapping):
        for name in ("content", "text", "message", "reply"):
            if (text := message_text(data.get(name))) is not None:
                return text
    return None


def parse_id(data: object) -> str | None:
    """Read an id: text, or a number that becomes text."""
    if isinstance(data, bool) or not isinstance(data, str | int) or data == "":
        return None
    return clean(str(data))


def _avatar_url(data: Json) -> str:
    """Find where the picture of a twin is; half an address would be another one."""
    names = ("avatarUrl", "avatar_url", "avatar", "imageUrl")
    avatar_url = next(
        (url for name in names if (url := clean_text(data.get(name), MAX_URL_CHARACTERS + 1))), ""
    )
    return avatar_url if len(avatar_url) <= MAX_URL_CHARACTERS else ""


def _language(data: Json) -> str:
    """Find the code of the language that a twin is described in (BCP 47)."""
    code = clean_text(data.get("language"), MAX_LANGUAGE_CHARACTERS + 1)
    return code if len(code) <= MAX_LANGUAGE_CHARACTERS and _LANGUAGE_TAG.fullmatch(code) else ""


def clean_text(data: object, limit: int) -> str:
    """Read a short text for showing; anything else is empty."""
    return clean(data).strip()[:limit] if isinstance(data, str) else ""


def clean_line(data: object, limit: int) -> str:
    """Read a name for showing, on one line: in an export, a second could be another's words."""
    return " ".join(clean(data).split())[:limit] if isinstance(data, str) else ""


def clean(data: str) -> str:
    """Replace what no database and no page can hold: lone surrogates and control characters."""
    if data.isprintable():
        return data
    well_formed = data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL_CHARACTERS.sub("�", well_formed)
