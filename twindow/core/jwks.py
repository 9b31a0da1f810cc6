"""Signing keys of an identity provider: fetched, cached and rotated."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt

from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.outbound import Outbound
from twindow.core.outbound.responses import NETWORK_ERRORS, read_bounded

# What providers sign with. No HMAC algorithms: anyone who knows the public key could use it as the
# secret and sign.
PROVIDER_ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "EdDSA",
)
MAX_JWKS_BYTES = 256 * 1024
# A key that the provider has withdrawn is accepted for at most this long.
CACHE_SECONDS = 300
# Minimum time between fetches for an unknown `kid`, so that invented ones cause few fetches.
COOLDOWN_SECONDS = 30
# Pause between fetches while the provider is unavailable.
RETRY_SECONDS = 5
# How long the last set is used while the provider is unavailable.
MAX_STALE_SECONDS = 3600


FETCH_ERRORS = (*NETWORK_ERRORS, ValueError, TypeError, RecursionError, jwt.PyJWTError)


class SigningKeysUnavailable(Exception):
    """Raised while the keys of the provider cannot be fetched."""


class JwksClient(jwt.PyJWKClient):
    """Client of a JWK Set (RFC 7517)."""

    timeout_seconds = 5.0

    def __init__(self, url: str, outbound: Outbound, clock: Clock = SYSTEM_CLOCK) -> None:
        super().__init__(url, lifespan=CACHE_SECONDS, cooldown_duration=COOLDOWN_SECONDS)
        self._session = open_session(OutboundAdapter(outbound))
        self._clock = clock
        self._jwk_set: Any = None
        self._fetched_at = 0.0
        self._failed_at = -float(RETRY_SECONDS)

    def get_signing_key(self, kid: str) -> jwt.PyJWK:
        """Return a key of the set. A cached key is returned without waiting for a running fetch.

        Raises SigningKeysUnavailable, or a PyJWT error for an unknown `kid`.
        """
        cached = self.jwk_set_cache.get() if self.jwk_set_cache else None
        if isinstance(cached, jwt.PyJWKSet):
            keys = self._get_signing_keys_from_jwk_set(cached)
            if signing_key := self.match_kid(keys, kid):
                return signing_key
        return super().get_signing_key(kid)

    def fetch_data(self) -> Any:
        """Fetch the set; on failure return the last one for up to `MAX_STALE_SECONDS`.

        Raises SigningKeysUnavailable.
        """
        now = self._clock.monotonic()
        if now - self._failed_at >= RETRY_SECONDS:
            try:
                self._jwk_set, self._fetched_at = self._fetch(), now
            except FETCH_ERRORS:
                self._failed_at = now = self._clock.monotonic()
        if self._jwk_set is None or now - self._fetched_at > MAX_STALE_SECONDS:
            raise SigningKeysUnavailable
        # PyJWT compares the time of the last fetch with `time.monotonic()`, not with `self._clock`.
        self._last_successful_fetch = time.monotonic()
        return self._jwk_set

    def _fetch(self) -> Any:
        with self._session.get(
            self.uri, timeout=self.timeout_seconds, allow_redirects=False, stream=True
        ) as response:
            if response.status_code != 200:
                raise ValueError(response.status_code)
            body = read_bounded(response, MAX_JWKS_BYTES, self.timeout_seconds)
        jwk_set = self._as_jwk_set_payload(json.loads(body))
        jwt.PyJWKSet.from_dict(jwk_set)
        return jwk_set
