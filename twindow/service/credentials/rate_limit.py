"""Rate limit per key and hour, counted exactly in the database."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import update

from twindow.core.db.counters import HOUR_SECONDS, Count, Counters, Limit, LimitReached
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.service.credentials.api_keys import ApiKey
from twindow.service.owners import PORTAL_OWNER
from twindow.service.schema import api_keys, counters

REQUESTS_PER_HOUR = {"read_only": 200, "full_access": 500}
# The last use of a key is stored at most this often.
LAST_USE_SECONDS = 60

_counters = Counters(counters)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Rate limit status of a key. `reset_seconds` is the time until the hour (UTC) ends."""

    limit: int
    remaining: int
    reset_seconds: int
    is_allowed: bool

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers: RateLimit of the IETF draft, and the older X-RateLimit form."""
        headers = {
            "RateLimit-Policy": f'"hour";q={self.limit};w={HOUR_SECONDS}',
            "RateLimit": f'"hour";r={self.remaining};t={self.reset_seconds}',
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_seconds),
        }
        return headers if self.is_allowed else headers | {"Retry-After": str(self.reset_seconds)}


def has_rate_limit(key: ApiKey) -> bool:
    """Return whether the requests of a key are limited; those of the portals are not.

    A portal limits the messages of its people itself (`TWINDOW_LIMITS`).
    """
    return key.sub != PORTAL_OWNER


def count_request(database: Database, key: ApiKey) -> RateLimit:
    """Count a request unless the limit is reached; return the status."""
    try:
        with database.write() as connection:
            now = database.now(connection)
            [count] = _counters.count(connection, [_limit(key)], now)
            if now - (key.last_used_at or 0) > LAST_USE_SECONDS:
                is_key = api_keys.c.id == key.id
                connection.execute(update(api_keys).where(is_key).values(last_used_at=now))
    except LimitReached as error:
        return _status(error.count, now, is_allowed=False)
    if count.used == 1:  # once an hour for each key
        with suppress(DatabaseUnavailable):  # the request is counted
            _counters.purge(database)
    return _status(count, now)


def read_rate_limit(database: Database, key: ApiKey) -> RateLimit:
    """Return the status of a key without counting a request."""
    with database.read() as connection:
        now = database.now(connection)
        [count] = _counters.read(connection, [_limit(key)], now)
    return _status(count, now)


def _limit(key: ApiKey) -> Limit:
    return Limit("key", key.id, HOUR_SECONDS, REQUESTS_PER_HOUR[key.scope])


def _status(count: Count, now: float, *, is_allowed: bool = True) -> RateLimit:
    maximum = count.limit.maximum or 0
    remaining = max(0, maximum - count.used) if is_allowed else 0
    return RateLimit(maximum, remaining, math.ceil(count.resets_at - now), is_allowed)
