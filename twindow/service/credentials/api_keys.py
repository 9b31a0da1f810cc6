"""API keys: shown once, stored and looked up by their digest."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row, Select, delete, func, insert, select, update

from twindow.core.db.database import Database
from twindow.core.secrets import new_id
from twindow.service.interface_types import Scope
from twindow.service.pagination import Page
from twindow.service.schema import api_keys as table

# Lets secret scanners recognise a key.
PREFIX = "tw_"
# Maximum number of keys per owner. It includes keys that were valid within the last hour, because
# otherwise revoking and creating keys would give an unlimited hourly quota.
MAX_KEYS = 100
EXPIRED_RETENTION_SECONDS = 3600
TOO_MANY_KEYS = (
    f"You have reached the maximum of {MAX_KEYS} keys. "
    "Keys that were revoked or expired in the last hour count."
)


_NOT_REVOKED = table.c.revoked_at.is_(None)


class TooManyKeys(Exception):
    """Raised when an owner has reached the maximum number of keys."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """Metadata of a key, without its secret. Times are in seconds since 1970."""

    id: str
    sub: str
    groups: frozenset[str]
    name: str
    scope: Scope
    created_at: float
    expires_at: float | None
    last_used_at: float | None

    def is_expired(self, now: float) -> bool:
        """Return whether the key has expired; `now` is in seconds since 1970."""
        return self.expires_at is not None and self.expires_at <= now


class ApiKeys:
    """Repository of API keys."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(
        self,
        sub: str,
        name: str,
        scope: Scope,
        *,
        groups: Collection[str] = (),
        expires_at: float | None = None,
        secret: str = "",
    ) -> tuple[ApiKey, str]:
        """Create a key for `sub`; return it with its secret, which is not stored.

        The secret is random unless it is given. Raises TooManyKeys, and IntegrityError for a given
        secret that exists already.
        """
        secret = secret or f"{PREFIX}{secrets.token_urlsafe(32)}"
        owned_by = table.c.sub == sub
        with self.database.write() as connection:
            self.database.advisory_lock(connection, f"keys of {sub}")
            now = self.database.now(connection)
            cutoff = now - EXPIRED_RETENTION_SECONDS
            expired = (table.c.revoked_at < cutoff) | (table.c.expires_at < cutoff)
            connection.execute(delete(table).where(owned_by, expired))
            if connection.execute(select(func.count()).where(owned_by)).scalar_one() >= MAX_KEYS:
                raise TooManyKeys(TOO_MANY_KEYS)
            key = ApiKey(new_id(12), sub, frozenset(groups), name, scope, now, expires_at, None)
            row = asdict(key) | {"groups": json.dumps(sorted(groups)), "digest": _digest(secret)}
            connection.execute(insert(table).values(row))
        return key, secret

    def find_by_secret(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, or None if it does not exist or was revoked.

        Does not check the expiry.
        """
        is_key = (table.c.digest == _digest(secret)) & _NOT_REVOKED
        with self.database.read() as connection:
            row = connection.execute(_select_keys().where(is_key)).first()
        return _key_from_row(row) if row else None

    def list_page(self, sub: str, page: int, limit: int) -> Page[ApiKey]:
        """Return one page of the keys of `sub`, newest first.

        Expired keys are included, revoked keys are not.
        """
        condition = (table.c.sub == sub) & _NOT_REVOKED
        query = _select_keys().where(condition).order_by(table.c.created_at.desc(), table.c.id)
        query = query.offset((page - 1) * limit).limit(limit)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(condition)).scalar_one()
            return Page([_key_from_row(row) for row in connection.execute(query)], total)

    def revoke(self, sub: str, key_id: str) -> bool:
        """Revoke a key of `sub`; return False if there is no such key."""
        condition = (table.c.sub == sub) & (table.c.id == key_id) & _NOT_REVOKED
        with self.database.write() as connection:
            values = {"revoked_at": self.database.now(connection)}
            return bool(connection.execute(update(table).where(condition).values(values)).rowcount)

    def set_groups(self, sub: str, groups: Iterable[str]) -> None:
        """Replace the groups of all keys of `sub`."""
        with self.database.write() as connection:
            values = {"groups": json.dumps(sorted(groups))}
            connection.execute(update(table).where(table.c.sub == sub).values(values))

    def revoke_all(self, sub: str) -> None:
        """Revoke all keys of `sub`."""
        with self.database.write() as connection:
            values = {"revoked_at": self.database.now(connection)}
            condition = (table.c.sub == sub) & _NOT_REVOKED
            connection.execute(update(table).where(condition).values(values))

    def delete_all(self, sub: str) -> None:
        """Delete all keys of `sub`."""
        with self.database.write() as connection:
            connection.execute(delete(table).where(table.c.sub == sub))


def _select_keys() -> Select[Any]:
    return select(*(table.c[name] for name in ApiKey.__slots__))


def _key_from_row(row: Row[Any]) -> ApiKey:
    values = {name: getattr(row, name) for name in ApiKey.__slots__}
    return ApiKey(**values | {"groups": frozenset(json.loads(row.groups))})


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
