"""Rate limit per key over a rolling hour, counted exactly in the database."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update

from core.db.database import Database
from service.access.api_keys import ApiKey
from service.owners import PORTAL_OWNER
from service.schema import api_keys, key_requests

WINDOW_SECONDS = 3600
REQUESTS_PER_HOUR = {"read_only": 200, "full_access": 500}


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Rate limit status of a key.

    `reset_seconds` is the time until the oldest counted request leaves the window.
    """

    limit: int
    remaining: int
    reset_seconds: int
    is_allowed: bool

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers: RateLimit of the IETF draft, and the older X-RateLimit form."""
        headers = {
            "RateLimit-Policy": f'"hour";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"hour";r={self.remaining};t={self.reset_seconds}',
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_seconds),
        }
        return headers if self.is_allowed else headers | {"Retry-After": str(self.reset_seconds)}


class KeyRevoked(Exception):
    """Raised for a key that has been revoked."""


def has_rate_limit(key: ApiKey) -> bool:
    """Return whether the requests of a key are limited; those of the portals are not.

    A portal limits the messages of its people itself (`TWINDOW_LIMITS`).
    """
    return key.sub != PORTAL_OWNER


def count_request(database: Database, key: ApiKey) -> RateLimit:
    """Count a request unless the limit is reached; return the status. Raises KeyRevoked."""
    limit = REQUESTS_PER_HOUR[key.scope]
    condition = key_requests.c.key_id == key.id
    with database.write() as connection:
        is_active = (api_keys.c.id == key.id) & api_keys.c.revoked_at.is_(None)
        if (
            connection.execute(select(api_keys.c.id).where(is_active).with_for_update()).first()
            is None
        ):
            raise KeyRevoked
        now = database.now(connection)
        connection.execute(
            delete(key_requests).where(condition, key_requests.c.created_at <= now - WINDOW_SECONDS)
        )
        query = select(func.count(), func.min(key_requests.c.created_at)).where(condition)
        request_count, oldest_at = connection.execute(query).one()
        is_allowed = request_count < limit
        if is_allowed:
            connection.execute(insert(key_requests).values(key_id=key.id, created_at=now))
            connection.execute(
                update(api_keys).where(api_keys.c.id == key.id).values(last_used_at=now)
            )
    return RateLimit(
        limit, max(0, limit - request_count - 1), _seconds_until_reset(oldest_at, now), is_allowed
    )


def read_rate_limit(database: Database, key: ApiKey) -> RateLimit:
    """Return the status of a key without counting a request."""
    limit = REQUESTS_PER_HOUR[key.scope]
    with database.read() as connection:
        now = database.now(connection)
        condition = (key_requests.c.key_id == key.id) & (
            key_requests.c.created_at > now - WINDOW_SECONDS
        )
        query = select(func.count(), func.min(key_requests.c.created_at)).where(condition)
        request_count, oldest_at = connection.execute(query).one()
    return RateLimit(
        limit, max(0, limit - request_count), _seconds_until_reset(oldest_at, now), is_allowed=True
    )


def _seconds_until_reset(oldest_at: float | None, now: float) -> int:
    return math.ceil((oldest_at or now) + WINDOW_SECONDS - now)
