"""Request bodies, queries and headers, validated by msgspec."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated, Any, TypeVar

import msgspec
from flask import request

from twindow.service.api.errors import DEFAULT_ERRORS, ApiError
from twindow.service.api.schemas import ApiStruct
from twindow.service.container import container
from twindow.service.idempotency import IdempotencyKey, make_idempotency_key
from twindow.service.interface_types import Scope
from twindow.service.validation_messages import explain

T = TypeVar("T")

# PostgreSQL cannot store NUL, so requests must not contain it.
_NO_NUL_PATTERN = r"^[^\x00]*$"
# All characters that \s matches in any regex dialect.
_WHITESPACE_CLASS = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

MAX_LIFETIME_SECONDS = 10 * 366 * 24 * 3600
IDEMPOTENCY_HEADER = {
    "Idempotency-Key": "Unique value per message; a repeat within 24 hours returns its reply."
}
IDEMPOTENCY_KEY_PATTERN = r'^("[!#-~]{1,255}"|[!#-~][!-~]{0,254})$'
MAX_PAGE = 1_000_000
INTEGER_PARAMETERS = {"page", "limit"}

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=_NO_NUL_PATTERN)]


class NewConversation(ApiStruct):
    """The conversation to create."""

    twin_id: Id
    title: Annotated[str, msgspec.Meta(max_length=200, pattern=_NO_NUL_PATTERN)] | None = None


class NewMessage(ApiStruct):
    """The message to send."""

    content: Annotated[
        str,
        msgspec.Meta(
            min_length=1,
            max_length=32_000,
            # This pattern avoids backtracking, which could take seconds for 32,000 characters.
            pattern=rf"^[{_WHITESPACE_CLASS}]*[^{_WHITESPACE_CLASS}\x00][^\x00]*$",
            description="text of 1 to 32,000 characters, not only spaces, without NUL",
        ),
    ]


class NewApiKey(ApiStruct):
    """The API key to create."""

    name: Annotated[
        str,
        msgspec.Meta(min_length=1, max_length=100, pattern=_NO_NUL_PATTERN),
    ]
    scope: Scope
    expires_in: (
        Annotated[
            float,
            msgspec.Meta(
                ge=1,
                le=MAX_LIFETIME_SECONDS,
                description=f"a number of seconds from 1 to {MAX_LIFETIME_SECONDS:,}",
            ),
        ]
        | None
    ) = None


class PageQuery(ApiStruct):
    """Pagination of a list.

    The titles are descriptions in the OpenAPI document: validation errors show descriptions.
    """

    page: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE, title="Page number, from 1.")] = 1
    limit: Annotated[int, msgspec.Meta(ge=1, le=100, title="Items per page.")] = 20


class ConversationQuery(PageQuery):
    """Pagination of conversations, and an optional filter by twin."""

    twin_id: Annotated[Id, msgspec.Meta(title="Id of a twin.")] | None = None


def reject_nul() -> None:
    """Raise ApiError if the URL contains NUL, which PostgreSQL cannot handle in queries."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        raise ApiError(400, "bad_request", "The URL contains a NUL character.")


def read_body(body_type: type[T]) -> T:
    """Return the validated JSON body. Raises ApiError."""
    if request.mimetype != "application/json":
        raise ApiError(415, *DEFAULT_ERRORS[415])
    if request.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise ApiError(
            415,
            "unsupported_media_type",
            "Send the body without a Content-Encoding.",
            headers={"Accept-Encoding": "identity"},
        )
    has_unknown_length = request.content_length is None and request.environ.get(
        "wsgi.input_terminated"
    )
    try:
        data = request.get_data()
        # If Content-Length is missing, Werkzeug silently truncates an oversized body. The truncated
        # body could be valid JSON.
        is_too_large = has_unknown_length and request.environ["wsgi.input"].read(1)
    except OSError:
        raise ApiError(
            400, "bad_request", "The body doesn't match its Content-Length or Transfer-Encoding."
        ) from None
    if is_too_large:
        raise ApiError(413, *DEFAULT_ERRORS[413])
    try:
        return msgspec.json.decode(data, type=body_type)
    except msgspec.ValidationError as error:
        raise _validation_error(422, error, body_type, _decode(data)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ApiError(400, "bad_json", "The body is not valid JSON.") from None


def _decode(data: bytes) -> object:
    """Return the value of JSON, or None: what follows an invalid field may be malformed."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(data)
    return None


def read_query(query_type: type[T]) -> T:
    """Return the validated query parameters. Raises ApiError."""
    values = request.args.to_dict()
    for name in INTEGER_PARAMETERS & values.keys():
        if not re.fullmatch(r"[0-9]+", values[name]):
            values[name] = ""  # "" is invalid; msgspec would accept 1e1 and 10.0 as integers
    try:
        return msgspec.convert(values, query_type, strict=False)
    except msgspec.ValidationError as error:
        raise _validation_error(400, error, query_type, values) from None


def read_idempotency_key(sub: str) -> IdempotencyKey | None:
    """Return the Idempotency-Key header of a request of `sub`, or None.

    Accepts a quoted string, as in the IETF draft, or a bare value. Raises ApiError.
    """
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return None
    if not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, header):
        reason = "should be 1 to 255 visible ASCII characters"
        raise _invalid_field_error("Idempotency-Key", reason, 400)
    key = header[1:-1] if header.startswith('"') else header
    return make_idempotency_key(container().secret_key, sub, key)


def _invalid_field_error(field: str, reason: str, status: int = 422) -> ApiError:
    """Return the error for an invalid field; "" stands for the whole body."""
    sentence = f"{field or 'The body'} {reason}."
    return ApiError(status, "invalid", sentence, details=[(field, reason)])


def _validation_error(
    status: int, error: msgspec.ValidationError, expected_type: Any, values: Any
) -> ApiError:
    field, reason = explain(error, expected_type)
    value = values.get(field) if isinstance(values, dict) else None
    if isinstance(value, str) and value and value.isspace():
        reason = "is blank"
    elif isinstance(value, str) and "of length <=" in str(error):
        reason = f"has {len(value):,} characters; it {reason}"
    return _invalid_field_error(field, reason, status)
