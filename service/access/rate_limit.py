"""Requests per key in a rolling hour, counted in the database: exact, whatever else happens."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update

from core.database import Database
from service.access.api_keys import Key
from service.schema import keys, requests

WINDOW_SECONDS = 3600
PER_HOUR = {"read_only": 200, "full_access": 500}


@dataclass(frozen=True, slots=True)
class Allowance:
    """How a key stands after a request; `resets_in` is the seconds until the oldest one is free."""

    limit: int
    remaining: int
    resets_in: int
    allowed: bool

    @property
    def headers(self) -> dict[str, str]:
        """Return it as headers: the field's draft standard, and the older common form."""
        headers = {
            "RateLimit-Policy": f'"hour";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"hour";r={self.remaining};t={self.resets_in}',
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.resets_in),
        }
        return headers if self.allowed else headers | {"Retry-After": str(self.resets_in)}


class Revoked(Exception):
    """Raised for a key that is none any more."""


def take(database: Database, key: Key) -> Allowance:
    """Count a request, if the key has one left. Raises Revoked."""
    limit = PER_HOUR[key.scope]
    now = database.clock.time()
    mine = requests.c.key_id == key.id
    with database.write() as connection:
        good = (keys.c.id == key.id) & keys.c.revoked_at.is_(None)
        if connection.execute(select(keys.c.id).where(good).with_for_update()).first() is None:
            raise Revoked
        connection.execute(delete(requests).where(mine, requests.c.at <= now - WINDOW_SECONDS))
        query = select(func.count(), func.min(requests.c.at)).where(mine)
        used, oldest = connection.execute(query).one()
        allowed = used < limit
        if allowed:
            connection.execute(insert(requests).values(key_id=key.id, at=now))
            connection.execute(update(keys).where(keys.c.id == key.id).values(last_used_at=now))
    return Allowance(limit, max(0, limit - used - 1), _until_free(oldest, now), allowed)


def look(database: Database, key: Key) -> Allowance:
    """Tell how a key stands, and count nothing."""
    limit = PER_HOUR[key.scope]
    now = database.clock.time()
    lately = (requests.c.key_id == key.id) & (requests.c.at > now - WINDOW_SECONDS)
    with database.read() as connection:
        query = select(func.count(), func.min(requests.c.at)).where(lately)
        used, oldest = connection.execute(query).one()
    return Allowance(limit, max(0, limit - used), _until_free(oldest, now), allowed=True)


def _until_free(oldest: float | None, now: float) -> int:
    return math.ceil((oldest or now) + WINDOW_SECONDS - now)
