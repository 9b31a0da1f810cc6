"""Passwords: which are accepted, and their Argon2id hashes."""

from __future__ import annotations

import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, select

from twindow.accounts.schema import passwords
from twindow.core.db.statements import upsert
from twindow.core.threadpool import in_serial_threadpool

# NIST SP 800-63B, 3.1.1.2, requires a minimum length and forbids composition rules.
MIN_PASSWORD_CHARACTERS = 12
MAX_PASSWORD_CHARACTERS = 256
# Normalizing many combining characters takes quadratic time.
MAX_CHARACTERS_BEFORE_NORMALIZATION = 1_024


class UnsuitablePassword(ValueError):
    """Raised for a password that is too short, too long, or the name of the person."""


class Passwords:
    """Hashes of passwords.

    Hashes are computed in a thread, one at a time: each takes about 50 ms and 64 MiB.
    """

    def __init__(self) -> None:
        self.hasher = PasswordHasher()
        self._run_in_thread = in_serial_threadpool(lambda work: work())

    def hash(self, password: str, name: str) -> str:
        """Return the hash of a new password. Raises UnsuitablePassword."""
        if len(password) > MAX_CHARACTERS_BEFORE_NORMALIZATION:
            raise UnsuitablePassword
        password = _normalize(password)
        is_name = password.casefold() == _normalize(name).casefold()
        if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS or is_name:
            raise UnsuitablePassword
        return self._hash(password)

    def is_correct(self, stored_hash: str | None, password: str) -> bool:
        """Return whether a password has this hash.

        If `stored_hash` is None, a dummy hash is verified, so that the response time does not tell
        whether a person exists.
        """
        password = _normalize(password[:MAX_CHARACTERS_BEFORE_NORMALIZATION])
        hash_to_verify = stored_hash or self._other_hash
        is_match = self._run_in_thread(lambda: self._verify(hash_to_verify, password))
        return bool(is_match) and stored_hash is not None

    @cached_property
    def _other_hash(self) -> str:
        return self._hash("no person has this password")

    def _hash(self, password: str) -> str:
        return str(self._run_in_thread(lambda: self.hasher.hash(password)))

    def _verify(self, stored_hash: str, password: str) -> bool:
        try:
            return self.hasher.verify(stored_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def read_hash(connection: Connection, person_id: str) -> str | None:
    """Return the hash of a person's password."""
    query = select(passwords.c.hash).where(passwords.c.person_id == person_id)
    return connection.execute(query).scalar()


def store_hash(connection: Connection, person_id: str, password_hash: str) -> None:
    """Store the hash of a person's password."""
    row = {"person_id": person_id, "hash": password_hash}
    upsert(connection, passwords, "person_id", row)


def delete_hash(connection: Connection, person_id: str) -> None:
    """Delete a person's password."""
    connection.execute(delete(passwords).where(passwords.c.person_id == person_id))


def _normalize(password: str) -> str:
    # Different systems may send the same character in different Unicode forms.
    return unicodedata.normalize("NFKC", password)
