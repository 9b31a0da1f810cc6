"""JWTs, which endpoint 7 asks for (RFC 7519): our own, or an identity provider's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from core.clock import SYSTEM, Clock
from core.settings import Settings
from service.access.jwks import SigningKeys

LEEWAY_SECONDS = 30
LIFETIME_SECONDS = 3600
MAX_SUB = 200
OWN = ("HS256",)
# Never a secret's algorithm here: whoever knows the public key could sign with it.
PROVIDERS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
NEEDED = ("sub", "exp", "aud")


class InvalidToken(Exception):
    """Raised for a JWT that proves nothing."""


class NotOurs(Exception):
    """Raised when JWTs come from somewhere else, and none can be signed here."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whom a JWT names: a person, and the groups that they are in."""

    sub: str
    groups: frozenset[str]


class Tokens:
    """Sign and check JWTs: HS256 with our own secret, or by the keys of a provider, never both."""

    def __init__(self, settings: Settings, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._audience = settings.jwt_audience
        self._issuer = settings.jwt_issuer
        url = settings.jwt_jwks_url
        self._provider = SigningKeys(url, clock) if url else None
        self._secret = "" if self._provider else settings.secret("jwt_secret")
        self._needed = [*NEEDED, "iss"] if self._issuer else [*NEEDED]

    def sign(self, sub: str, lifetime: float = LIFETIME_SECONDS, groups: Sequence[str] = ()) -> str:
        """Return a JWT that says who its bearer is, for `lifetime` seconds. Raises NotOurs."""
        if self._provider:
            raise NotOurs
        now = self._clock.time()
        claims: dict[str, Any] = {"sub": sub, "aud": self._audience}
        claims |= {"iat": int(now), "exp": int(now + lifetime)}
        if self._issuer:
            claims["iss"] = self._issuer
        if groups:
            claims["groups"] = list(groups)
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def read(self, token: str) -> Bearer:
        """Return whom a JWT names. Raises InvalidToken, and KeysUnavailable."""
        try:
            claims = jwt.decode(
                token,
                self._key(token),
                algorithms=list(PROVIDERS if self._provider else OWN),
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": self._needed, "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise InvalidToken(str(error)) from None
        sub, groups = claims["sub"], claims.get("groups", [])
        if not (isinstance(sub, str) and sub.isprintable() and 1 <= len(sub) <= MAX_SUB):
            raise InvalidToken("sub is no name")
        if not (isinstance(groups, list) and all(isinstance(name, str) for name in groups)):
            raise InvalidToken("groups are no names")
        return Bearer(sub, frozenset(groups))

    def _key(self, token: str) -> Any:
        return self._provider.get_signing_key_from_jwt(token) if self._provider else self._secret
