"""Who is calling: one rule for both header forms, in one place."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from flask import Response, g, request
from werkzeug.datastructures import Headers

from core.database import DatabaseUnavailable
from service.access.api_keys import Key
from service.access.jwks import KeysUnavailable
from service.access.jwt_tokens import InvalidToken
from service.access.rate_limit import Revoked, look, take
from service.api.errors import Problem
from service.container import parts

Needs = Literal["read_only", "full_access", "a JWT"]

NOT_VALID = "The API key is not valid."
REALM = {"WWW-Authenticate": 'Bearer realm="twins"'}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request: a person, and the groups that they are in."""

    sub: str
    groups: frozenset[str]


def caller(needs: Needs) -> Caller:
    """Return who sends this request, if they may, and count it. Raises Problem."""
    credential = _credential(needs)
    return _bearer_of_token(credential) if needs == "a JWT" else _holder(credential, needs)


def add_headers(response: Response) -> Response:
    """Tell the caller how their key stands, also where the request was not counted."""
    if "allowance" not in g:
        with suppress(DatabaseUnavailable):
            _look()
    if "allowance" in g:
        response.headers.update(g.allowance.headers)
    return response


def _holder(secret: str, needs: Needs) -> Caller:
    key = parts().keys.find(secret)
    if key is None:
        raise _unauthorized(NOT_VALID)
    if key.is_expired(parts().database.clock.time()):
        raise _unauthorized("The API key has expired.")
    _count(key)
    if needs == "full_access" and key.scope != "full_access":
        raise Problem(403, "forbidden", "This key is read_only; this needs full_access.")
    return Caller(key.sub, key.groups)


def _look() -> None:
    given = set(_given(request.headers).values())
    key = parts().keys.find(given.pop()) if len(given) == 1 else None
    if key and not key.is_expired(parts().database.clock.time()):
        g.allowance = look(parts().database, key)


def _count(key: Key) -> None:
    try:
        g.allowance = take(parts().database, key)
    except Revoked:
        raise _unauthorized(NOT_VALID) from None
    if not g.allowance.allowed:
        raise Problem(
            429,
            "rate_limited",
            f"This key has used its {g.allowance.limit} requests of the hour. "
            f"Try again in {g.allowance.resets_in} seconds.",
        )


def _bearer_of_token(token: str) -> Caller:
    try:
        bearer = parts().tokens.read(token)
    except InvalidToken:
        raise _unauthorized("This needs a valid JWT as Authorization: Bearer.") from None
    except KeysUnavailable:
        sentence = "JWTs cannot be checked at the moment. Try again soon."
        raise Problem(503, "unavailable", sentence, headers={"Retry-After": "5"}) from None
    return Caller(bearer.sub, bearer.groups)


def _credential(needs: Needs) -> str:
    """Read the credential from Authorization or X-API-Key; both may hold it, if they agree."""
    given = _given(request.headers)
    if len(set(given.values())) > 1:
        raise Problem(400, "two_keys")
    if needs == "a JWT" and "Authorization" not in given:
        raise _unauthorized("This needs a JWT as Authorization: Bearer.")
    if not given:
        raise _unauthorized("This needs an API key.")
    return next(iter(given.values()))


def _given(headers: Headers) -> dict[str, str]:
    given = {}
    if (authorization := headers.get("Authorization")) is not None:
        scheme, _, value = authorization.partition(" ")
        given["Authorization"] = value.strip() if scheme.lower() == "bearer" else ""
    if (key := headers.get("X-API-Key")) is not None:
        given["X-API-Key"] = key.strip()
    return given


def _unauthorized(sentence: str) -> Problem:
    return Problem(401, "unauthorized", sentence, headers=REALM)
