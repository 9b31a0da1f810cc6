"""Limits of failed attempts to sign in: with one name, and from one network address or browser."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection

from twindow.core.db.counters import QUARTER_SECONDS, Counters, Limit, LimitReached
from twindow.core.db.database import Database
from twindow.core.secrets import keyed_hash

# Failed attempts in a window: with one name, and from one network address.
MAX_ACCOUNT_FAILURES = 10
MAX_ADDRESS_FAILURES = 50
ADDRESS_SCOPE = "sign-in address"


class AttemptsExceeded(Exception):
    """Raised after too many failed attempts; the next attempt is allowed after `wait_seconds`.

    `is_for_address` tells whether the limit is that of the network address.
    """

    def __init__(self, wait_seconds: float, *, is_for_address: bool = False) -> None:
        super().__init__(wait_seconds)
        self.wait_seconds = wait_seconds
        self.is_for_address = is_for_address


class VerificationBusy(AttemptsExceeded):
    """Raised when other passwords are being verified for too long."""


class AttemptLimits:
    """Limits of failed attempts to sign in. `secret_key` keys hashes and browser tokens.

    A browser in which a person has signed in before has a counter of failed attempts of its own for
    this person (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"), so failures of
    others do not lock it out. A browser token identifies such a browser until the password changes.
    """

    account_limit = MAX_ACCOUNT_FAILURES
    address_limit = MAX_ADDRESS_FAILURES
    # How long an attempt waits for the verification of other passwords.
    max_wait_seconds = 30.0

    def __init__(self, database: Database, counters: Counters, secret_key: str) -> None:
        self.database = database
        self._counters = counters
        self._hash: Callable[..., str] = lambda *parts: keyed_hash(secret_key, *parts)
        # Passwords are verified one at a time, so that attempts at the same time cannot exceed the
        # limits.
        self._verification = threading.Lock()

    def of_account(self, account: str) -> Limit:
        """Return the limit of failed attempts with a name. `account` is its `subject_of`."""
        return self._limit("sign-in account", account, self.account_limit)

    def of_address(self, address: str) -> Limit:
        """Return the limit of failed attempts from a network address."""
        return self._limit(ADDRESS_SCOPE, address, self.address_limit)

    def of_browser(self, browser_token: str) -> Limit:
        """Return the limit of failed attempts from a known browser."""
        return self._limit("sign-in browser", browser_token, self.account_limit)

    def _limit(self, scope: str, value: str, maximum: int) -> Limit:
        return Limit(scope, self._hash(scope, value), QUARTER_SECONDS, maximum)

    @contextmanager
    def turn_to_verify(self, limits: Sequence[Limit]) -> Iterator[None]:
        """Wait until no other password is being verified.

        Raises AttemptsExceeded, before it waits or afterwards.
        """
        self._check(limits)
        if not self._verification.acquire(timeout=self.max_wait_seconds):
            raise VerificationBusy(self.max_wait_seconds)
        try:
            self._check(limits)
            yield
        finally:
            self._verification.release()

    def _check(self, limits: Sequence[Limit]) -> None:
        with self.database.read() as connection:
            now = self.database.now(connection)
            try:
                self._counters.check(connection, limits, now)
            except LimitReached as error:
                is_for_address = error.count.limit.scope == ADDRESS_SCOPE
                wait_seconds = error.count.resets_at - now
                raise AttemptsExceeded(wait_seconds, is_for_address=is_for_address) from None

    def count_failure(self, limits: Sequence[Limit]) -> None:
        """Count a failed attempt, also beyond the limits."""
        unlimited = [replace(limit, maximum=None) for limit in limits]
        with self.database.write() as connection:
            self._counters.count(connection, unlimited, self.database.now(connection))

    def forget_failures(self, connection: Connection, limit: Limit) -> None:
        """Forget the failed attempts that a limit counts."""
        self._counters.forget(connection, limit.scope, limit.subject)

    def create_browser_token(self, person_id: str, stored_hash: str | None) -> str:
        """Return a token for the cookie of a browser in which the person has signed in.

        `stored_hash` is the hash of the person's password.
        """
        nonce = secrets.token_urlsafe(16)
        return f"{nonce}.{self._browser_signature(person_id, stored_hash, nonce)}"

    def is_known_browser(self, person_id: str, stored_hash: str | None, browser_token: str) -> bool:
        """Return whether a browser has a token of this person, with their current password."""
        nonce, _, signature = browser_token.partition(".")
        expected = self._browser_signature(person_id, stored_hash, nonce)
        return hmac.compare_digest(signature.encode(), expected.encode())

    def _browser_signature(self, person_id: str, stored_hash: str | None, nonce: str) -> str:
        return self._hash("browser of a person", person_id, stored_hash or "", nonce)
