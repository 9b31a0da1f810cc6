"""API keys: shown once, kept as a hash, found by their beginning."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
import time
import zlib
from dataclasses import dataclass

from sqlalchemy import insert, select

from database import Database
from service.tables import keys as table

ALPHABET = string.ascii_letters + string.digits
RANDOM_LENGTH = 32  # of 62 letters: 190 bits
PREFIX_LENGTH = 11


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key. The key itself is not."""

    id: str
    sub: str
    name: str
    scope: str
    created_at: float


class Keys:
    """Make and find keys."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def make(self, sub: str, name: str, scope: str) -> tuple[Key, str]:
        """Make a key for `sub`; the second value is the key itself, which is not kept."""
        random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
        secret = f"tw_{random}{_checksum(random)}"
        key = Key(secrets.token_urlsafe(12), sub, name, scope, time.time())
        row = {
            "id": key.id,
            "sub": sub,
            "name": name,
            "scope": scope,
            "prefix": secret[:PREFIX_LENGTH],
            "digest": _digest(secret),
            "created_at": key.created_at,
        }
        with self.database.write() as connection:
            connection.execute(insert(table).values(row))
        return key, secret

    def find(self, secret: str) -> Key | None:
        """Return the key, or None for what is not one."""
        random, checksum = secret[3:-6], secret[-6:]
        if not secret.isascii() or not secret.startswith("tw_") or _checksum(random) != checksum:
            return None
        query = select(table).where(table.c.prefix == secret[:PREFIX_LENGTH])
        with self.database.read() as connection:
            found = connection.execute(query).all()
        for row in found:
            if hmac.compare_digest(row.digest, _digest(secret)):
                return Key(row.id, row.sub, row.name, row.scope, row.created_at)
        return None


def _checksum(random: str) -> str:
    """Let scanners for leaked secrets, and us, tell a key from a typing error without a look-up."""
    number = zlib.crc32(random.encode())
    letters = []
    for _ in range(6):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return "".join(letters)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
