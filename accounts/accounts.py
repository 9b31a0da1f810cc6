"""Signing in with a password or an API key, and setting the password with a one-time link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from accounts import links, passwords, people, sign_ins
from accounts.attempts import Attempts
from accounts.passwords import Passwords
from accounts.people import Identity, People, Person
from accounts.sign_ins import SignIn, SignIns
from core.database import Database
from core.keyed_hash import keyed_hash

# Number of characters of an API key's hash that identify its person.
SUBJECT_CHARACTERS = 32


class WrongCredentials(Exception):
    """Raised for an unknown name, a wrong password and a disabled person alike."""


class AttemptsExceeded(Exception):
    """Raised after too many failed attempts; the next attempt is allowed after `wait_seconds`."""

    def __init__(self, wait_seconds: float) -> None:
        super().__init__(wait_seconds)
        self.wait_seconds = wait_seconds


class InvalidLink(Exception):
    """Raised for a one-time link that was used, has expired, or never existed."""


class Accounts:
    """The people of a portal and their sign-ins.

    `account_limit` is the number of failed attempts allowed per name in 15 minutes, `address_limit`
    the number per network address.
    """

    def __init__(
        self,
        database: Database,
        secret_key: str,
        *,
        idle_seconds: float,
        max_seconds: float,
        account_limit: int,
        address_limit: int,
    ) -> None:
        self.database = database
        self.people = People(database)
        self.passwords = Passwords()
        self.sign_ins = SignIns(database, idle_seconds=idle_seconds, max_seconds=max_seconds)
        self.attempts = Attempts(database)
        self.account_limit = account_limit
        self.address_limit = address_limit
        self._hash: Callable[..., str] = lambda *parts: keyed_hash(secret_key, *parts)

    def sign_in(self, name: str, password: str, address: str, device: str) -> SignIn:
        """Verify the password, and return a new sign-in.

        `address` is the network address of the browser; `device` names the browser in the list of
        sign-ins. Raises WrongCredentials and AttemptsExceeded.
        """
        with self._verify_password(name, password, address) as (connection, person):
            return self.sign_ins.add(connection, person.id, device)

    def sign_in_with_key(
        self, api_key: str, address: str, device: str, verify: Callable[[], bool]
    ) -> SignIn:
        """Return a new sign-in of the person who has this API key of the service.

        `verify` asks the service whether it accepts the key; its exceptions propagate. A hash
        of the key identifies the person. Raises WrongCredentials and AttemptsExceeded.
        """
        address_key = self._hash("sign-in address", address)
        if wait_seconds := self.attempts.count({address_key: self.address_limit}):
            raise AttemptsExceeded(wait_seconds)
        try:
            is_accepted = verify()
        except Exception:
            self.attempts.take_back(address_key)
            raise
        if not is_accepted:
            raise WrongCredentials
        subject = self._hash("API key of a person", api_key)[:SUBJECT_CHARACTERS]
        person = self.people.find_or_add(people.KEY_ISSUER, subject, f"…{api_key[-4:]}")
        with self.database.write(durable=True) as connection:
            current_person = people.find_by_id(connection, person.id)
            if current_person is None or current_person.is_disabled:
                raise WrongCredentials
            sign_in = self.sign_ins.add(connection, person.id, device)
        self.attempts.take_back(address_key)
        return sign_in

    @contextmanager
    def _verify_password(
        self, name: str, password: str, address: str
    ) -> Iterator[tuple[Connection, Person]]:
        """Open a write transaction for the person who has this name and password.

        Raises WrongCredentials and AttemptsExceeded.
        """
        subject = people.subject_of(name)
        account_key = self._account_key(subject)
        address_key = self._hash("sign-in address", address)
        limits = {account_key: self.account_limit, address_key: self.address_limit}
        if wait_seconds := self.attempts.count(limits):
            raise AttemptsExceeded(wait_seconds)
        with self.database.read() as connection:
            person = people.find_by_subject(connection, subject)
            stored_hash = passwords.read_hash(connection, person.id) if person else None
        is_correct = self.passwords.is_correct(stored_hash, password)
        if person is None or not is_correct:
            raise WrongCredentials
        with self.database.write(durable=True) as connection:
            # The person may have been disabled, or their password reset, during the check.
            current_person = people.find_by_id(connection, person.id)
            is_current = passwords.read_hash(connection, person.id) == stored_hash
            if current_person is None or current_person.is_disabled or not is_current:
                raise WrongCredentials
            yield connection, current_person
        self.attempts.reset(account_key)
        self.attempts.take_back(address_key)

    def create_link(self, person: Person, purpose: links.Purpose = "password") -> str:
        """Return the token of a one-time link to set a password, or to link an identity."""
        with self.database.write(durable=True) as connection:
            return links.create_link(connection, person.id, purpose, self.database.clock.time())

    def reset(self, person: Person) -> str:
        """Delete a person's password, end their sign-ins, and return the token of a new link."""
        with self.database.write(durable=True) as connection:
            passwords.delete_hash(connection, person.id)
            sign_ins.end_all(connection, person.id)
            return links.create_link(connection, person.id, "password", self.database.clock.time())

    def find_by_link(self, token: str, purpose: links.Purpose = "password") -> Person:
        """Return the person to whom a one-time link belongs. Raises InvalidLink."""
        with self.database.read() as connection:
            person = links.find_person(connection, token, purpose, self.database.clock.time())
        if person is None:
            raise InvalidLink
        return person

    def use_link(self, token: str, password: str, device: str) -> SignIn:
        """Set a password with a one-time link, and return a new sign-in of the person.

        Raises InvalidLink and UnsuitablePassword. An unsuitable password leaves the link valid.
        """
        person = self.find_by_link(token)
        password_hash = self.passwords.hash(password, person.name)
        with self.database.write(durable=True) as connection:
            now = self.database.clock.time()
            is_valid = links.find_person(connection, token, "password", now) is not None
            if not is_valid or not links.use_link(connection, token):
                raise InvalidLink
            passwords.store_hash(connection, person.id, password_hash)
            sign_ins.end_all(connection, person.id)
            sign_in = self.sign_ins.add(connection, person.id, device)
        self.attempts.reset(self._account_key(people.subject_of(person.name)))
        return sign_in

    def _account_key(self, subject: str) -> str:
        return self._hash("sign-in account", subject)

    def link_identity(
        self,
        token: str,
        password: str,
        address: str,
        identity: Identity,
        on_link: Callable[[Connection, str, str], None],
    ) -> str | None:
        """Link an identity to the account of a one-time link.

        The password of the account proves the consent of its owner. The previous owner of the
        identity is deleted, unless they have other identities. Calls `on_link` in the same
        transaction with the ids of the previous owner and of the account. Returns the id of the
        deleted person, or None.
        Raises InvalidLink, WrongCredentials and AttemptsExceeded.
        """
        account = self.find_by_link(token, "identity")
        with self._verify_password(account.name, password, address) as (connection, person):
            if person.id != account.id or not links.use_link(connection, token):
                raise InvalidLink
            earlier_id = people.move_identity(connection, identity, person.id)
            on_link(connection, earlier_id, person.id)
            is_deleted = people.find_by_id(connection, earlier_id) is None
        return earlier_id if is_deleted else None
