"""What requests may carry. msgspec checks it by its definition, and names the field at fault."""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeVar

import msgspec
from flask import request

from service.errors import CODES, Problem

T = TypeVar("T")

# PostgreSQL cannot keep a NUL, so nobody may send one.
_NO_NUL = r"^[^\x00]*$"

MAX_KEY = 255

Scope = Literal["read_only", "full_access"]


class NewConversation(msgspec.Struct, rename="camel"):
    """The body of endpoint 3."""

    twin_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=_NO_NUL)]
    title: Annotated[str, msgspec.Meta(max_length=200, pattern=_NO_NUL)] | None = None


class NewMessage(msgspec.Struct, rename="camel"):
    """The body of endpoints 5 and 6."""

    content: Annotated[str, msgspec.Meta(min_length=1, max_length=32_000, pattern=_NO_NUL)]


class NewKey(msgspec.Struct, rename="camel"):
    """The body of endpoint 7."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=_NO_NUL)]
    scope: Scope


class Paging(msgspec.Struct, rename="camel"):
    """The query of the lists."""

    page: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 1
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    twin_id: str | None = None


def refuse_nul() -> None:
    """Refuse an address that holds a NUL: PostgreSQL could not look for it. Raises Problem."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        raise Problem(400, "bad_request", "The address holds a NUL.")


def body(kind: type[T]) -> T:
    """Read the body. Raises Problem."""
    if request.mimetype != "application/json":
        raise Problem(415, *CODES[415])
    data = request.get_data()
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise _invalid(422, error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Problem(400, "bad_json", "The body is not JSON.") from None


def idempotency_key() -> str | None:
    """Read the header of that name: a quoted string, as its draft has it, or a bare one.

    Raises Problem.
    """
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    key = given.strip().removeprefix('"').removesuffix('"')
    if not (key.isascii() and key.isprintable() and 1 <= len(key) <= MAX_KEY):
        sentence = f"Idempotency-Key: 1 to {MAX_KEY} printable characters."
        raise Problem(400, "bad_request", sentence)
    return key


def paging() -> Paging:
    """Read the query of a list. Raises Problem."""
    try:
        return msgspec.convert(request.args.to_dict(), Paging, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(400, error) from None


def _invalid(status: int, error: msgspec.ValidationError) -> Problem:
    reason, _, place = str(error).partition(" - at ")
    found = re.search(r"\$\.(\w+)", place) or re.search(r"field `(\w+)`", reason)
    field = found[1] if found else ""
    reason = "Must not hold NUL" if "x00" in reason else reason.replace("`", "'")
    sentence = f"{field}: {reason}." if field else f"{reason}."
    return Problem(status, "invalid", sentence, details=[{"field": field, "reason": reason}])
