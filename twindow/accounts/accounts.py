"""Signing in with a password, and setting the password with a one-time link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection

from twindow.accounts import one_time_links, passwords, people, sign_ins
from twindow.accounts.attempts import AttemptLimits
from twindow.accounts.key_issuer import KeyIssuer
from twindow.accounts.names import PASSWORD_ISSUER, UnsuitableName, subject_of
from twindow.accounts.passwords import Passwords
from twindow.accounts.people import NameTaken, NewPerson, People, Person
from twindow.accounts.sign_ins import SignIn, SignIns
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database
from twindow.core.secrets import decrypt, encrypt


class WrongCredentials(Exception):
    """Raised for an unknown name, a wrong password and a disabled person alike."""


class InvalidLink(Exception):
    """Raised for a one-time link that was used, has expired, or never existed."""


class PersonRejected(Exception):
    """Raised if a list of people has one who cannot be added: at `index`, because of `reason`."""

    def __init__(self, index: int, reason: UnsuitableName | NameTaken) -> None:
        super().__init__(index, reason)
        self.index = index
        self.reason = reason


class Accounts:
    """The people of a portal and their sign-ins. `secret_key` is that of `AttemptLimits`."""

    def __init__(
        self,
        database: Database,
        counters: Counters,
        secret_key: str,
        *,
        idle_seconds: float,
        max_seconds: float,
        key_issuer: KeyIssuer | None = None,
        oidc_issuer: str = "",
    ) -> None:
        self.database = database
        self._secret_key = secret_key
        self.people = People(database, key_issuer, oidc_issuer)
        self.passwords = Passwords()
        self.sign_ins = SignIns(database, idle_seconds=idle_seconds, max_seconds=max_seconds)
        self.attempt_limits = AttemptLimits(database, counters, secret_key)

    def sign_in(
        self, name: str, password: str, address: str, device: str, browser_token: str = ""
    ) -> SignIn:
        """Verify the password, and return a new sign-in.

        `address` is the network address of the browser; `device` names the browser in the list of
        sign-ins. Raises WrongCredentials and AttemptsExceeded.
        """
        with self._verify_password(name, password, address, browser_token) as (connection, person):
            return self.sign_ins.add(connection, person.id, device)

    def begin_sign_in(
        self, person: Person, device: str, *, provider_sid: str, id_token: str
    ) -> SignIn:
        """Return a new sign-in of a person whom a provider has recognised.

        `provider_sid` is the name of the sign-in there, or "". The ID token is stored encrypted.
        """
        with self.database.write(durable=True) as connection:
            return self.sign_ins.add(
                connection,
                person.id,
                device,
                verified_at=self.database.clock.time(),
                provider_sid=provider_sid,
                id_token=encrypt(self._secret_key, id_token),
            )

    def decrypt_id_token(self, encrypted: str) -> str:
        """Return the ID token of a sign-in at a provider, or ""."""
        return decrypt(self._secret_key, encrypted)

    @contextmanager
    def _verify_password(
        self, name: str, password: str, address: str, browser_token: str
    ) -> Iterator[tuple[Connection, Person]]:
        """Open a write transaction for the person who has this name and password.

        Raises WrongCredentials and AttemptsExceeded.
        """
        account = subject_of(name)
        with self.database.read() as connection:
            person = people.find_by_identity(connection, PASSWORD_ISSUER, account)
            stored_hash = passwords.read_hash(connection, person.id) if person else None
        limits = [self.attempt_limits.of_account(account), self.attempt_limits.of_address(address)]
        if person and self.attempt_limits.is_known_browser(person.id, stored_hash, browser_token):
            limits = [self.attempt_limits.of_browser(browser_token)]
        with self.attempt_limits.turn_to_verify(limits):
            is_correct = self.passwords.is_correct(stored_hash, password)
            if person is None or not is_correct:
                self.attempt_limits.count_failure(limits)
                raise WrongCredentials
        with self.database.write(durable=True) as connection:
            # The person may have been disabled, or their password reset, during the check.
            current_person = people.find_by_id(connection, person.id)
            is_current = passwords.read_hash(connection, person.id) == stored_hash
            if current_person is None or current_person.is_disabled or not is_current:
                raise WrongCredentials
            self.attempt_limits.forget_failures(connection, limits[0])  # not those of the address
            yield connection, current_person

    def create_browser_token(self, person_id: str) -> str:
        """Return a token for the cookie of a browser in which the person has signed in."""
        with self.database.read() as connection:
            stored_hash = passwords.read_hash(connection, person_id)
        return self.attempt_limits.create_browser_token(person_id, stored_hash)

    def create_link(self, person: Person) -> str:
        """Return the token of a one-time link to set a password."""
        with self.database.write(durable=True) as connection:
            return one_time_links.create_link(connection, person.id, self.database.clock.time())

    def add_all(self, new_people: Sequence[NewPerson]) -> Sequence[tuple[Person, str]]:
        """Add people, and return each with the token of a link to set their password.

        If one cannot be added, nobody is: raises PersonRejected.
        """
        added, now = [], self.database.clock.time()
        with self.database.write(durable=True) as connection:
            for index, new_person in enumerate(new_people):
                try:
                    person = people.add_person(connection, new_person, now)
                except (UnsuitableName, NameTaken) as error:
                    raise PersonRejected(index, error) from None
                added.append((person, one_time_links.create_link(connection, person.id, now)))
        return added

    def reset(self, person: Person) -> str:
        """Delete a person's password, end their sign-ins, and return the token of a new link."""
        with self.database.write(durable=True) as connection:
            passwords.delete_hash(connection, person.id)
            sign_ins.end_all(connection, person.id)
            return one_time_links.create_link(connection, person.id, self.database.clock.time())

    def find_by_link(self, token: str) -> Person:
        """Return the person to whom a one-time link belongs. Raises InvalidLink."""
        with self.database.read() as connection:
            person = one_time_links.find_person(connection, token, self.database.clock.time())
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
            is_valid = one_time_links.find_person(connection, token, now) is not None
            if not is_valid or not one_time_links.use_link(connection, token):
                raise InvalidLink
            passwords.store_hash(connection, person.id, password_hash)
            sign_ins.end_all(connection, person.id)
            limit = self.attempt_limits.of_account(subject_of(person.name))
            self.attempt_limits.forget_failures(connection, limit)
            return self.sign_ins.add(connection, person.id, device)

    def change_password(
        self,
        person: Person,
        password: str,
        new_password: str,
        address: str,
        device: str,
        browser_token: str,
    ) -> SignIn:
        """Change a person's password, end their sign-ins, and return a new one.

        Raises UnsuitablePassword, WrongCredentials and AttemptsExceeded.
        """
        new_hash = self.passwords.hash(new_password, person.name)
        verification = self._verify_password(person.name, password, address, browser_token)
        with verification as (connection, verified_person):
            if verified_person.id != person.id:
                raise WrongCredentials
            passwords.store_hash(connection, person.id, new_hash)
            sign_ins.end_all(connection, person.id)
            return self.sign_ins.add(connection, person.id, device)
