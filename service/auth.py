"""Who is calling: one rule for both header forms, in one place."""

from __future__ import annotations

from flask import Response, g, request

from service.current import parts
from service.errors import Problem
from service.keys import Key
from service.limits import take
from service.tokens import InvalidToken

REALM = {"WWW-Authenticate": 'Bearer realm="twins"'}


def read() -> Key:
    """Return the key of a caller who may read. Raises Problem."""
    key = parts().keys.find(_credential())
    if key is None:
        raise Problem(401, "unauthorized", "The API key is not valid.", headers=REALM)
    g.allowance = take(parts().database, key)
    if not g.allowance.allowed:
        raise Problem(
            429,
            "rate_limited",
            f"This key has used its {g.allowance.limit} requests of the hour. "
            f"Try again in {g.allowance.resets_in} seconds.",
        )
    return key


def write() -> Key:
    """Return the key of a caller who may do everything. Raises Problem."""
    key = read()
    if key.scope != "full_access":
        raise Problem(403, "forbidden", "This key is read_only; sending needs full_access.")
    return key


def token() -> str:
    """Return who the bearer of a JWT is; an API key is none. Raises Problem."""
    try:
        return parts().tokens.sub(_bearer(request.headers.get("Authorization", "")))
    except InvalidToken:
        sentence = "This needs a valid JWT as Authorization: Bearer."
        raise Problem(401, "unauthorized", sentence, headers=REALM) from None


def add_headers(response: Response) -> Response:
    """Tell the caller how their key stands."""
    if "allowance" in g:
        response.headers.update(g.allowance.headers)
    return response


def _credential() -> str:
    """Read the key from Authorization or X-API-Key; both may stand there if they agree."""
    given = set()
    authorization = request.headers.get("Authorization")
    if authorization is not None:
        given.add(_bearer(authorization))
    if "X-API-Key" in request.headers:
        given.add(request.headers["X-API-Key"].strip())
    if len(given) > 1:
        raise Problem(400, "two_keys", "Authorization and X-API-Key hold different keys.")
    if not given:
        raise Problem(401, "unauthorized", "This needs an API key.", headers=REALM)
    return given.pop()


def _bearer(authorization: str) -> str:
    scheme, _, value = authorization.partition(" ")
    return value.strip() if scheme.lower() == "bearer" else ""
