"""People who can sign in: finding, adding and changing them."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from twindow.accounts.key_issuer import KeyIssuer
from twindow.accounts.names import (
    OIDC_PREFIX,
    PASSWORD_ISSUER,
    PROXY_ISSUER,
    UnsuitableName,
    is_proxy_name,
    subject_of,
    suitable_name,
)
from twindow.accounts.schema import identities, one_time_links, passwords, people, sign_ins
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

GROUP_SEPARATOR = ","

# A browser without cookies begins a session with each request through the proxy.
SIGN_IN_PRECISION_SECONDS = 3_600


class NameTaken(Exception):
    """Raised when another person has the name."""


class PersonNotFound(Exception):
    """Raised when there is no person with the name."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person who can sign in.

    The operator adds the people who have an account. The proxy or a provider of OpenID Connect
    identifies the others.
    `has_password` is False until the person sets a password with a one-time link.
    """

    id: str
    name: str
    is_disabled: bool
    has_account: bool
    has_password: bool
    # "proxy:NAME" or "oidc:SUBJECT" if the proxy or a provider identifies the person, otherwise "".
    identity: str = ""
    groups: tuple[str, ...] = ()
    # Seconds since 1970; None before the first sign-in.
    signed_in_at: float | None = None
    # When a provider of OpenID Connect has last confirmed who this is; None without a provider.
    verified_at: float | None = None

    @property
    def listed_name(self) -> str:
        """Return the name by which operators know the person."""
        return self.name if self.has_account else self.identity


@dataclass(frozen=True, slots=True)
class NewPerson:
    """A person whom the operator adds."""

    name: str
    groups: Sequence[str] = ()


class People:
    """Repository of people."""

    def __init__(
        self, database: Database, key_issuer: KeyIssuer | None = None, oidc_issuer: str = ""
    ) -> None:
        self.database = database
        self._oidc_issuer = oidc_issuer
        self._key_issuer = key_issuer

    def add(self, name: str) -> Person:
        """Add a person without a password. Raises UnsuitableName and NameTaken."""
        with self.database.write(durable=True) as connection:
            return add_person(connection, NewPerson(name), self.database.clock.time())

    def rename(self, name: str, new_name: str) -> None:
        """Change the name of an account, or a name of the proxy: from "proxy:OLD" to "proxy:NEW".

        Raises PersonNotFound, UnsuitableName and NameTaken.
        """
        person = self.find(name)
        issuer, _, old_subject = name.partition(":")
        if issuer == PROXY_ISSUER and old_subject:
            new_issuer, _, subject = new_name.partition(":")
            if new_issuer != PROXY_ISSUER or not is_proxy_name(subject):
                raise UnsuitableName
            shown_name = person.name if person.has_account else subject
        elif person.has_account:
            shown_name = suitable_name(new_name)
            issuer, old_subject = PASSWORD_ISSUER, subject_of(person.name)
            subject = subject_of(shown_name)
        else:
            raise UnsuitableName
        is_identity = (identities.c.issuer == issuer) & (identities.c.subject == old_subject)
        try:
            with self.database.write(durable=True) as connection:
                connection.execute(update(identities).where(is_identity).values(subject=subject))
                is_person = people.c.id == person.id
                connection.execute(update(people).where(is_person).values(name=shown_name))
        except IntegrityError:
            raise NameTaken from None

    def record_sign_in(self, person: Person) -> None:
        """Store the current time as that of the person's last sign-in through the proxy."""
        now = self.database.clock.time()
        if now - (person.signed_in_at or 0) > SIGN_IN_PRECISION_SECONDS:
            # If the database is locked, the next session records the time.
            with suppress(DatabaseUnavailable), self.database.write() as connection:
                record_sign_in(connection, person.id, now)

    def find(self, name: str) -> Person:
        """Return the person with a name, with a name at the proxy ("proxy:NAME"), or at a provider
        ("oidc:SUBJECT").

        The provider is that of the settings; a person of an earlier provider is found if nobody
        else has the subject. Raises PersonNotFound.
        """
        issuer, _, subject = name.partition(":")
        with self.database.read() as connection:
            if issuer == OIDC_PREFIX and subject:
                person = find_by_identity(connection, self._oidc_issuer, subject)
                rows = connection.execute(_BY_OIDC_SUBJECT, {"subject": subject}).all()
                if person is None and len(rows) == 1:
                    person = _person_from_row(rows[0])
            elif issuer == PROXY_ISSUER and subject:
                person = find_by_identity(connection, issuer, subject)
            else:
                person = find_by_identity(connection, PASSWORD_ISSUER, subject_of(name))
        if person is None:
            raise PersonNotFound
        return person

    def find_or_add(self, issuer: str, subject: str, name: str) -> Person:
        """Return the person whom an issuer knows by this subject. The first call adds the person.

        `name` is shown; it replaces the one that the issuer has said before.
        """
        with self.database.read() as connection:
            person = find_by_identity(connection, issuer, subject)
        person = person or self._add_from_issuer(issuer, subject, name)
        if person.name != name and not person.has_account:
            self._update(person, name=name)
        return person

    def _add_from_issuer(self, issuer: str, subject: str, name: str) -> Person:
        person_id, now = secrets.token_hex(16), self.database.clock.time()
        identity = {"issuer": issuer, "subject": subject, "person_id": person_id}
        with suppress(IntegrityError), self.database.write(durable=True) as connection:
            connection.execute(insert(people).values(id=person_id, name=name, created_at=now))
            connection.execute(insert(identities).values(identity))
        # A parallel request may have added the person first.
        with self.database.read() as connection:
            person = find_by_identity(connection, issuer, subject)
        if person is None:
            raise PersonNotFound
        return person

    def list_all(self) -> Sequence[Person]:
        """Return all people, by name."""
        with self.database.read() as connection:
            rows = connection.execute(_SELECT_PEOPLE.order_by(func.lower(people.c.name)))
            return [_person_from_row(row) for row in rows]

    def exist(self) -> bool:
        """Return whether there are any people."""
        with self.database.read() as connection:
            return connection.execute(select(people.c.id).limit(1)).first() is not None

    def disable(self, person: Person) -> None:
        """Prevent a person from signing in, and end all their sign-ins, links and API keys."""
        with self.database.write(durable=True) as connection:
            values = {"disabled_at": self.database.clock.time()}
            connection.execute(update(people).where(people.c.id == person.id).values(values))
            for table in (sign_ins, one_time_links):
                connection.execute(delete(table).where(table.c.person_id == person.id))
        if self._key_issuer:
            self._key_issuer.revoke_all(person.id)

    def delete(self, person: Person) -> None:
        """Delete a person, and what the embedded service stores for them."""
        if self._key_issuer:
            self._key_issuer.erase(person.id)
        with self.database.write(durable=True) as connection:
            connection.execute(delete(people).where(people.c.id == person.id))

    def merge(self, connection: Connection, person: Person, into: Person) -> None:
        """Give a person's names at proxy and providers to another person, and delete the first one.

        Raises PersonNotFound if one of them does not exist any more.
        """
        are_both = people.c.id.in_([person.id, into.id])
        if len(connection.scalars(select(people.c.id).where(are_both).with_for_update()).all()) < 2:
            raise PersonNotFound
        is_theirs = identities.c.person_id == person.id
        is_theirs &= identities.c.issuer != PASSWORD_ISSUER
        connection.execute(update(identities).where(is_theirs).values(person_id=into.id))
        connection.execute(delete(people).where(people.c.id == person.id))

    def find_active(self, person_id: str) -> Person | None:
        """Return the person with an id, or None if they are disabled or do not exist."""
        with self.database.read() as connection:
            person = find_by_id(connection, person_id)
        return None if person is None or person.is_disabled else person

    def set_groups(self, person: Person, groups: Collection[str]) -> Person:
        """Replace the groups of a person and of their API keys; return the updated person."""
        groups = tuple(sorted(groups))
        if groups == person.groups:
            return person
        # Change the keys first: if this fails, the person is unchanged, so the next request tries
        # again. Change the keys once more afterwards: a key may have been created meanwhile.
        if self._key_issuer:
            self._key_issuer.set_groups(person.id, groups)
        self._update(person, group_names=GROUP_SEPARATOR.join(groups))
        if self._key_issuer:
            self._key_issuer.set_groups(person.id, groups)
        return replace(person, groups=groups)

    def enable(self, person: Person) -> None:
        """Allow a disabled person to sign in again."""
        self._update(person, disabled_at=None)

    def _update(self, person: Person, **values: object) -> None:
        with self.database.write(durable=True) as connection:
            connection.execute(update(people).where(people.c.id == person.id).values(values))


def add_person(connection: Connection, new_person: NewPerson, now: float) -> Person:
    """Add a person without a password. Raises UnsuitableName and NameTaken.

    After NameTaken, the transaction must be rolled back.
    """
    name, person_id = suitable_name(new_person.name), secrets.token_hex(16)
    groups = tuple(sorted(new_person.groups))
    values = {"id": person_id, "name": name, "created_at": now}
    identity = {"issuer": PASSWORD_ISSUER, "subject": subject_of(name), "person_id": person_id}
    try:
        connection.execute(
            insert(people).values(values | {"group_names": GROUP_SEPARATOR.join(groups)})
        )
        connection.execute(insert(identities).values(identity))
    except IntegrityError:
        raise NameTaken from None
    return Person(
        person_id,
        name,
        is_disabled=False,
        has_account=True,
        has_password=False,
        groups=groups,
    )


def record_sign_in(connection: Connection, person_id: str, now: float) -> None:
    """Store the time of a person's last sign-in."""
    is_person = people.c.id == person_id
    connection.execute(update(people).where(is_person).values(signed_in_at=now))


def find_by_identity(connection: Connection, issuer: str, subject: str) -> Person | None:
    """Return the person whom an issuer knows by this subject."""
    row = connection.execute(_BY_IDENTITY, {"issuer": issuer, "subject": subject}).first()
    return _person_from_row(row) if row else None


def find_by_id(connection: Connection, person_id: str) -> Person | None:
    """Return the person with an id."""
    row = connection.execute(_BY_ID, {"person_id": person_id}).first()
    return _person_from_row(row) if row else None


def _person_from_row(row: Row[Any]) -> Person:
    values = dict(row._mapping)
    names: str = values.pop("group_names")
    return Person(**values, groups=tuple(names.split(GROUP_SEPARATOR)) if names else ())


_PREFIX = case((identities.c.issuer == PROXY_ISSUER, PROXY_ISSUER), else_=OIDC_PREFIX)
_IDENTITY = (
    select(func.max(_PREFIX + ":" + identities.c.subject))
    .where(identities.c.person_id == people.c.id, identities.c.issuer != PASSWORD_ISSUER)
    .correlate(people)
    .scalar_subquery()
)
# These queries are built once, because building a query takes longer than executing it.
_SELECT_PEOPLE = select(
    people.c.id,
    people.c.name,
    people.c.group_names,
    people.c.signed_in_at,
    people.c.disabled_at.is_not(None).label("is_disabled"),
    exists()
    .where(identities.c.person_id == people.c.id, identities.c.issuer == PASSWORD_ISSUER)
    .correlate(people)
    .label("has_account"),
    passwords.c.person_id.is_not(None).label("has_password"),
    func.coalesce(_IDENTITY, "").label("identity"),
).outerjoin(passwords, passwords.c.person_id == people.c.id)
_BY_ID = _SELECT_PEOPLE.where(people.c.id == bindparam("person_id"))
_BY_IDENTITY = _SELECT_PEOPLE.where(
    people.c.id.in_(
        select(identities.c.person_id).where(
            identities.c.issuer == bindparam("issuer"), identities.c.subject == bindparam("subject")
        )
    )
)
_BY_OIDC_SUBJECT = _SELECT_PEOPLE.where(
    people.c.id.in_(
        select(identities.c.person_id).where(
            identities.c.issuer.not_in([PASSWORD_ISSUER, PROXY_ISSUER]),
            identities.c.subject == bindparam("subject"),
        )
    )
)
