"""What requests may hold. msgspec checks it by its definition, and names the field at fault."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

import msgspec
from flask import request

from core.validation_messages import plain
from service.api.errors import CODES, Problem
from service.api.schemas import Resource, Scope

T = TypeVar("T")

# PostgreSQL cannot keep a NUL, so nobody may send one.
_NO_NUL = r"^[^\x00]*$"
# What no language of patterns means by \s, but all of them together.
_BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

MAX_LIFETIME = 10 * 366 * 24 * 3600
IDEMPOTENCY_KEY = r'^("[!#-~]{1,255}"|[!#-~][!-~]{0,254})$'
MAX_PAGE = 1_000_000

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=_NO_NUL)]


class NewConversation(Resource):
    """With whom, and what to call it."""

    twin_id: Annotated[Id, msgspec.Meta(examples=["ada"])]
    title: Annotated[str, msgspec.Meta(max_length=200, pattern=_NO_NUL)] | None = None


class NewMessage(Resource):
    """What to say."""

    content: Annotated[
        str,
        msgspec.Meta(
            min_length=1,
            max_length=32_000,
            # Written so that it never goes back: 32,000 characters took it seconds.
            pattern=rf"^[{_BLANK}]*[^{_BLANK}\x00][^\x00]*$",
            description="text of 1 to 32,000 characters, not only spaces, without NUL",
            examples=["How does a steam engine work?"],
        ),
    ]


class NewKey(Resource):
    """What to call a key, what it may do, and until when."""

    name: Annotated[
        str, msgspec.Meta(min_length=1, max_length=100, pattern=_NO_NUL, examples=["laptop"])
    ]
    scope: Annotated[Scope, msgspec.Meta(examples=["read_only"])]
    expires_in: (
        Annotated[
            float,
            msgspec.Meta(
                ge=1,
                le=MAX_LIFETIME,
                description=f"a number of seconds from 1 to {MAX_LIFETIME:,}",
                examples=[30 * 24 * 3600],
            ),
        ]
        | None
    ) = None


class Paging(Resource):
    """Which page of a list."""

    page: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)] = 1
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20


class TwinPaging(Paging):
    """Which page of a list, and of which twin."""

    twin_id: Id | None = None


def refuse_nul() -> None:
    """Refuse an address that holds a NUL: PostgreSQL could not look for it. Raises Problem."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        raise Problem(400, "bad_request", "The address holds a NUL.")


def read_body(kind: type[T]) -> T:
    """Read the body. Raises Problem."""
    if request.mimetype != "application/json":
        raise Problem(415, *CODES[415])
    try:
        data = request.get_data()
    except OSError:
        raise Problem(400, "bad_request", "The body is not framed as it says.") from None
    # Without a length, what is too much is cut off in silence, and the rest might be a whole.
    endless = request.content_length is None and request.environ.get("wsgi.input_terminated")
    if endless and request.environ["wsgi.input"].read(1):
        raise Problem(413, *CODES[413])
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise _invalid(422, error, kind) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Problem(400, "bad_json", "The body is not JSON.") from None


def read_query(kind: type[T]) -> T:
    """Read the query. Raises Problem."""
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(400, error, kind) from None


def idempotency_key() -> str | None:
    """Read the header of that name: a quoted string, as its draft has it, or a bare one.

    Raises Problem.
    """
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    if not re.fullmatch(IDEMPOTENCY_KEY, given):
        reason = "should be 1 to 255 visible characters of ASCII"
        raise problem_with("Idempotency-Key", reason, 400)
    return given[1:-1] if given.startswith('"') else given


def problem_with(field: str, reason: str, status: int = 422) -> Problem:
    """Return the refusal of a field."""
    sentence = f"{field or 'The body'} {reason}."
    return Problem(status, "invalid", sentence, details=[(field, reason)])


def _invalid(status: int, error: msgspec.ValidationError, kind: Any) -> Problem:
    return problem_with(*plain(error, kind), status)
