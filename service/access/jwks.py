"""The keys with which an identity provider signs its JWTs: fetched, kept, and rotated."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt
import requests

from core.bounded_http import NETWORK_ERRORS, read_bounded
from core.clock import SYSTEM, Clock

MAX_BYTES = 256 * 1024
# A key that the provider has withdrawn is refused after this long.
FRESH_SECONDS = 300
# An unknown `kid` costs a fetch: whoever invents many gets only one each this long.
COOLDOWN_SECONDS = 30
# While the provider does not answer, it is asked no more often than this.
RETRY_SECONDS = 5
# And what it said last is believed for this long.
STALE_SECONDS = 3600


FAULTS = (*NETWORK_ERRORS, ValueError, TypeError, RecursionError, jwt.PyJWTError)


class KeysUnavailable(Exception):
    """Raised while the provider's keys cannot be had."""


class SigningKeys(jwt.PyJWKClient):
    """Fetch a JWK Set (RFC 7517) without the surroundings having a say in it."""

    timeout_seconds = 5.0

    def __init__(self, url: str, clock: Clock = SYSTEM) -> None:
        super().__init__(url, lifespan=FRESH_SECONDS, cooldown_duration=COOLDOWN_SECONDS)
        self._session = requests.Session()
        self._session.trust_env = False
        self._clock = clock
        self._known: Any = None
        self._known_at = 0.0
        self._failed_at = -float(RETRY_SECONDS)

    def get_signing_key(self, kid: str) -> jwt.PyJWK:
        """Return a key of the set; one that is known waits for no fetch. Raises KeysUnavailable."""
        fresh = self.jwk_set_cache.get() if self.jwk_set_cache else None
        if isinstance(fresh, jwt.PyJWKSet):
            keys = self._get_signing_keys_from_jwk_set(fresh)
            if known := self.match_kid(keys, kid):
                return known
        return super().get_signing_key(kid)

    def fetch_data(self) -> Any:
        """Fetch the set; one that is not too old stands in for it. Raises KeysUnavailable."""
        now = self._clock.monotonic()
        if now - self._failed_at >= RETRY_SECONDS:
            try:
                self._known, self._known_at = self._fetch(), now
            except FAULTS:
                self._failed_at = now = self._clock.monotonic()
        if self._known is None or now - self._known_at > STALE_SECONDS:
            raise KeysUnavailable
        self._last_successful_fetch = time.monotonic()  # PyJWT compares it with this clock
        return self._known

    def _fetch(self) -> Any:
        with self._session.get(
            self.uri, timeout=self.timeout_seconds, allow_redirects=False, stream=True
        ) as answer:
            if answer.status_code != 200:
                raise ValueError(answer.status_code)
            body = read_bounded(answer, MAX_BYTES, self.timeout_seconds)
        found = self._as_jwk_set_payload(json.loads(body))
        jwt.PyJWKSet.from_dict(found)
        return found
