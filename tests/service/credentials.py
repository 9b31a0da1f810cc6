"""Valid and invalid credentials of every kind."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import jwt

from twindow.service.container import Container


class Credentials:
    """Factory for the credentials of one service. Only the first three of `KINDS` are valid."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._secret = container.settings.secret("jwt_secret")

    @classmethod
    def kinds(cls) -> list[str]:
        """Return the names of all kinds."""
        return list(KINDS)

    def make(self, name: str) -> str:
        """Create a credential of the named kind."""
        return KINDS[name](self)

    def make_api_key(self, scope: Any, **options: Any) -> str:
        """Create an API key of alice and return its secret."""
        return self._container.api_keys.create("alice", "test", scope, **options)[1]

    def make_revoked_key(self) -> str:
        """Create an API key, revoke it, and return its secret."""
        key, secret = self._container.api_keys.create("alice", "test", "full_access")
        assert self._container.api_keys.revoke("alice", key.id)
        return secret

    def make_jwt(
        self, *, secret: str | None = None, algorithm: str = "HS256", **claims: Any
    ) -> str:
        """Sign a JWT that is valid except for the given arguments; omit claims that are None."""
        good = {"sub": "alice", "aud": "twindow", "exp": int(time.time()) + 600}
        payload = {name: value for name, value in (good | claims).items() if value is not None}
        signed_with = None if algorithm == "none" else secret or self._secret
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyJWT warns of a secret that is too short for HS512
            return jwt.encode(payload, signed_with, algorithm=algorithm)


def _mistype(secret: str) -> str:
    """Return the key with a wrong last character."""
    return secret[:-1] + ("a" if secret[-1] != "a" else "b")


KINDS: dict[str, Callable[[Credentials], str]] = {
    "read_only key": lambda make: make.make_api_key("read_only"),
    "full_access key": lambda make: make.make_api_key("full_access"),
    "JWT": lambda make: make.make_jwt(),
    "garbage": lambda _: "garbage",
    "a key nobody made": lambda _: "tw_" + "a" * 38,
    "key with a typing error": lambda make: _mistype(make.make_api_key("full_access")),
    "key in capitals": lambda make: make.make_api_key("full_access").upper(),
    "beginning of a key": lambda make: make.make_api_key("full_access")[:11],
    "two keys in one": lambda make: (
        f"{make.make_api_key('read_only')},{make.make_api_key('full_access')}"
    ),
    "expired key": lambda make: make.make_api_key("full_access", expires_at=time.time() - 1),
    "revoked key": lambda make: make.make_revoked_key(),
    "expired JWT": lambda make: make.make_jwt(exp=int(time.time()) - 61),
    "JWT signed by another": lambda make: make.make_jwt(secret="another secret" * 3),
    "JWT without a signature": lambda make: make.make_jwt(algorithm="none"),
    "JWT with another algorithm": lambda make: make.make_jwt(algorithm="HS512"),
    "JWT cut off": lambda make: make.make_jwt()[:-3],
}
