"""JWTs (RFC 7519) for the management of API keys, signed here or by an identity provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.jwks import PROVIDER_ALGORITHMS, JwksClient
from twindow.core.settings import Settings
from twindow.service.owners import is_claimable

LEEWAY_SECONDS = 30
DEFAULT_LIFETIME_SECONDS = 3600
MAX_SUB_LENGTH = 200
OWN_ALGORITHMS = ("HS256",)
REQUIRED_CLAIMS = ("sub", "exp", "aud")


class InvalidToken(Exception):
    """Raised for a JWT that is invalid, expired, or lacks a required claim."""


class ReservedName(Exception):
    """Raised when a JWT is requested for a name that no JWT may claim."""


class SigningDisabled(Exception):
    """Raised when an identity provider signs the JWTs, so that none can be signed here."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The person that a credential identifies, and their groups."""

    sub: str
    groups: frozenset[str]


class JwtTokens:
    """Signs and verifies JWTs.

    Uses HS256 with the secret of this installation, or the keys of a provider, never both.
    """

    def __init__(self, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._audience = settings.jwt_audience
        self._issuer = settings.jwt_issuer
        url = settings.jwt_jwks_url
        self._provider_keys = JwksClient(url, settings.outbound, clock) if url else None
        self._secret = "" if self._provider_keys else settings.secret("jwt_secret")
        self._required_claims = [*REQUIRED_CLAIMS, "iss"] if self._issuer else [*REQUIRED_CLAIMS]

    def sign(
        self,
        sub: str,
        lifetime_seconds: float = DEFAULT_LIFETIME_SECONDS,
        groups: Sequence[str] = (),
    ) -> str:
        """Return a JWT for `sub`.

        Raises SigningDisabled if a provider signs the JWTs, ReservedName if no JWT may claim `sub`.
        """
        if self._provider_keys:
            raise SigningDisabled
        if not is_claimable(sub):
            raise ReservedName
        now = self._clock.time()
        claims: dict[str, Any] = {"sub": sub, "aud": self._audience}
        claims |= {"iat": int(now), "exp": int(now + lifetime_seconds)}
        if self._issuer:
            claims["iss"] = self._issuer
        if groups:
            claims["groups"] = list(groups)
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def verify(self, token: str) -> Identity:
        """Return the identity in a JWT. Raises InvalidToken and SigningKeysUnavailable."""
        keys = self._provider_keys
        try:
            claims = jwt.decode(
                token,
                keys.get_signing_key_from_jwt(token) if keys else self._secret,
                algorithms=list(PROVIDER_ALGORITHMS if keys else OWN_ALGORITHMS),
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": self._required_claims, "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise InvalidToken(str(error)) from None
        sub, groups = claims["sub"], claims.get("groups", [])
        if not (isinstance(sub, str) and is_claimable(sub) and 1 <= len(sub) <= MAX_SUB_LENGTH):
            raise InvalidToken("sub is not a name")
        if not (isinstance(groups, list) and all(isinstance(name, str) for name in groups)):
            raise InvalidToken("groups are not names")
        return Identity(sub, frozenset(groups))
