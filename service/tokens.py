"""JWTs, which endpoint 7 asks for: HS256 with the service's own secret (RFC 7519)."""

from __future__ import annotations

import time

import jwt

AUDIENCE = "twindow"
LEEWAY_SECONDS = 30
LIFETIME_SECONDS = 3600


class InvalidToken(Exception):
    """Raised for a JWT that proves nothing."""


class Tokens:
    """Sign and check JWTs."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def sign(self, sub: str, lifetime: float = LIFETIME_SECONDS) -> str:
        """Return a JWT that says who its bearer is, for `lifetime` seconds."""
        now = time.time()
        claims = {"sub": sub, "aud": AUDIENCE, "iat": int(now), "exp": int(now + lifetime)}
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def sub(self, token: str) -> str:
        """Return who the bearer is. Raises InvalidToken."""
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                audience=AUDIENCE,
                leeway=LEEWAY_SECONDS,
                options={"require": ["sub", "exp", "aud"]},
            )
        except jwt.PyJWTError as error:
            raise InvalidToken(str(error)) from None
        sub = claims["sub"]
        if not isinstance(sub, str) or not sub.isprintable() or not sub:
            raise InvalidToken("sub is no name")
        return sub
