"""Idempotency keys of messages: a repeated request returns the reply of the first one."""

from __future__ import annotations

from dataclasses import dataclass

from twindow.core.secrets import keyed_hash

# How long an idempotency key is remembered.
IDEMPOTENCY_KEY_SECONDS = 24 * 3600


class IdempotencyKeyReused(Exception):
    """Raised when an idempotency key is used again for another message."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The sender of a request, and an HMAC of the idempotency key that they chose for it."""

    sub: str
    digest: str


def make_idempotency_key(secret_key: str, sub: str, key: str) -> IdempotencyKey:
    """Return an IdempotencyKey whose digest is an HMAC of `sub` and `key`."""
    return IdempotencyKey(sub, keyed_hash(secret_key, "idempotency key", sub, key))
