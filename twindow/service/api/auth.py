"""Authentication of requests, by API key or JWT, and rate limit headers."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from flask import Response, g, request

from twindow.core.db.errors import DatabaseUnavailable
from twindow.service.api.errors import ApiError
from twindow.service.container import container
from twindow.service.credentials import (
    ApiKey,
    Identity,
    InvalidToken,
    SigningKeysUnavailable,
    count_request,
    has_rate_limit,
    read_rate_limit,
)

# An API key with this scope, or a JWT.
RequiredCredential = Literal["read_only", "full_access", "a JWT"]

INVALID_KEY = "The API key is not valid."
AUTHENTICATE_HEADER = {"WWW-Authenticate": 'Bearer realm="twins"'}


def authenticate(required_credential: RequiredCredential) -> Identity:
    """Return the identity of the caller, and count the request if it uses an API key.

    Raises ApiError if the credential is missing or invalid, or does not allow the request.
    """
    if required_credential == "a JWT":
        identity = _authenticate_jwt()
        # A request with a JWT gets no rate limit headers, even if it also has an API key.
        g.rate_limit = None
        return identity
    return _authenticate_key(_read_key(), required_credential)


def add_rate_limit_headers(response: Response) -> Response:
    """Add the rate limit headers of the caller's key, even if the request was not counted."""
    if "rate_limit" not in g:
        with suppress(DatabaseUnavailable):
            _attach_rate_limit()
    if g.get("rate_limit"):
        response.headers.update(g.rate_limit.headers)
    return response


def _authenticate_key(secret: str, required_credential: RequiredCredential) -> Identity:
    key = container().api_keys.find_by_secret(secret)
    if key is None:
        raise _unauthorized(INVALID_KEY)
    if key.is_expired(container().database.clock.time()):
        raise _unauthorized("The API key has expired.")
    _count_request(key)
    if required_credential == "full_access" and key.scope != "full_access":
        raise ApiError(
            403,
            "forbidden",
            "This key has the scope read_only, but the request requires full_access.",
        )
    return Identity(key.sub, key.groups)


def _attach_rate_limit() -> None:
    keys = _api_keys()
    key = container().api_keys.find_by_secret(keys.pop()) if len(keys) == 1 else None
    if key and has_rate_limit(key) and not key.is_expired(container().database.clock.time()):
        g.rate_limit = read_rate_limit(container().database, key)


def _count_request(key: ApiKey) -> None:
    g.rate_limit = count_request(container().database, key) if has_rate_limit(key) else None
    if g.rate_limit and not g.rate_limit.is_allowed:
        raise ApiError(
            429,
            "rate_limited",
            f"This key has reached its limit of {g.rate_limit.limit} requests per hour. "
            f"Try again in {g.rate_limit.reset_seconds} seconds.",
        )


def _authenticate_jwt() -> Identity:
    """Return the identity in the JWT of the request; X-API-Key is ignored. Raises ApiError."""
    token = _bearer_token()
    if not token:
        raise _unauthorized("A JWT is required in Authorization: Bearer.")
    try:
        return container().jwt_tokens.verify(token)
    except InvalidToken:
        raise _unauthorized("A valid JWT is required in Authorization: Bearer.") from None
    except SigningKeysUnavailable:
        sentence = "JWTs can't be verified right now. Try again soon."
        raise ApiError(503, "unavailable", sentence, headers={"Retry-After": "5"}) from None


def _read_key() -> str:
    """Return the API key of the request. Raises ApiError if there is none, or more than one."""
    keys = _api_keys()
    if len(keys) > 1:
        raise ApiError(400, "two_keys")
    if not keys:
        raise _unauthorized("An API key is required.")
    return keys.pop()


def _api_keys() -> set[str]:
    """Return the different API keys in Authorization and X-API-Key.

    If a request has X-API-Key, a JWT or another scheme in Authorization is ignored: a proxy may
    have added that header.
    """
    token, key = _bearer_token(), request.headers.get("X-API-Key", "").strip()
    is_jwt = token.count(".") == 2
    return {secret for secret in (key, "" if key and is_jwt else token) if secret}


def _bearer_token() -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _unauthorized(sentence: str) -> ApiError:
    return ApiError(401, "unauthorized", sentence, headers=AUTHENTICATE_HEADER)
