"""Active sign-ins: the browsers in which a person is signed in.

Each request reads the row of its sign-in, so signing out takes effect in all processes at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    false,
    insert,
    or_,
    select,
    update,
)

from twindow.accounts import people
from twindow.accounts.people import Person
from twindow.accounts.schema import identities
from twindow.accounts.schema import sign_ins as table
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

MAX_SIGN_INS_PER_PERSON = 50
MAX_DEVICE_CHARACTERS = 100
# Maximum number of times that a sign-in's `seen_at` is updated within `idle_seconds`.
SEEN_UPDATES = 20


@dataclass(frozen=True, slots=True)
class SignIn:
    """A browser in which a person is signed in. Times are in seconds since 1970."""

    id: str
    person_id: str
    device: str
    created_at: float
    seen_at: float
    # Only of a sign-in at a provider of OpenID Connect; `id_token` is encrypted.
    verified_at: float | None = None
    provider_sid: str = ""
    id_token: str = ""


# This query is built once, because every request of a signed-in person executes it.
_SELECT_ACTIVE = select(table).where(
    table.c.id == bindparam("id"),
    table.c.seen_at >= bindparam("seen_since"),
    table.c.created_at >= bindparam("created_since"),
)


class SignIns:
    """Repository of sign-ins.

    A sign-in ends `idle_seconds` after its last request, and `max_seconds` after it began.
    """

    def __init__(self, database: Database, *, idle_seconds: float, max_seconds: float) -> None:
        self.database = database
        self.idle_seconds = idle_seconds
        self.max_seconds = max_seconds

    def add(
        self,
        connection: Connection,
        person_id: str,
        device: str,
        *,
        verified_at: float | None = None,
        provider_sid: str = "",
        id_token: str = "",
    ) -> SignIn:
        """Add a sign-in; end the oldest ones of the person beyond `MAX_SIGN_INS_PER_PERSON`.

        The last three are those of a sign-in at a provider: see `SignIn`.
        """
        now = self.database.clock.time()
        older = select(table.c.id).where(table.c.person_id == person_id)
        older = older.order_by(table.c.seen_at.desc()).offset(MAX_SIGN_INS_PER_PERSON - 1)
        connection.execute(delete(table).where(self._is_expired(now) | table.c.id.in_(older)))
        id_ = secrets.token_hex(16)
        sign_in = SignIn(
            id_,
            person_id,
            device[:MAX_DEVICE_CHARACTERS],
            created_at=now,
            seen_at=now,
            verified_at=verified_at,
            provider_sid=provider_sid,
            id_token=id_token,
        )
        connection.execute(insert(table).values(asdict(sign_in)))
        people.record_sign_in(connection, person_id, now)
        return sign_in

    def find_person(self, sign_in_id: str, *, is_request: bool = True) -> Person | None:
        """Return the person of a sign-in, or None if it has ended or the person is disabled.

        A request prolongs the sign-in; an open stream does not.
        """
        now = self.database.clock.time()
        parameters = {
            "id": sign_in_id,
            "seen_since": now - self.idle_seconds,
            "created_since": now - self.max_seconds,
        }
        with self.database.read() as connection:
            row = connection.execute(_SELECT_ACTIVE, parameters).first()
            person = people.find_by_id(connection, row.person_id) if row else None
        if row is None or person is None or person.is_disabled:
            return None
        if is_request and now - row.seen_at > self.idle_seconds / SEEN_UPDATES:
            # If the database is locked, a later request updates `seen_at`.
            with suppress(DatabaseUnavailable), self.database.write() as connection:
                is_this = table.c.id == sign_in_id
                connection.execute(update(table).where(is_this).values(seen_at=now))
        return replace(person, verified_at=row.verified_at) if row.verified_at else person

    def id_token_of(self, sign_in_id: str) -> str:
        """Return the encrypted ID token of a sign-in at a provider, or ""."""
        query = select(table.c.id_token).where(table.c.id == sign_in_id)
        with self.database.read() as connection:
            return connection.execute(query).scalar() or ""

    def list_for_person(self, person_id: str) -> Sequence[SignIn]:
        """Return the active sign-ins of a person, most recently used first."""
        is_active = ~self._is_expired(self.database.clock.time())
        query = select(table).where(table.c.person_id == person_id, is_active)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(table.c.seen_at.desc()))
            return [SignIn(**row._mapping) for row in rows]

    def end(self, sign_in_id: str) -> None:
        """End a sign-in."""
        with self.database.write(durable=True) as connection:
            connection.execute(delete(table).where(table.c.id == sign_in_id))

    def end_of_person(self, sign_in_id: str, person_id: str) -> bool:
        """End a sign-in of this person. Return False if the person has no such sign-in."""
        is_own = (table.c.id == sign_in_id) & (table.c.person_id == person_id)
        with self.database.write(durable=True) as connection:
            return bool(connection.execute(delete(table).where(is_own)).rowcount)

    def end_all(self, person_id: str) -> None:
        """End all sign-ins of a person."""
        with self.database.write(durable=True) as connection:
            end_all(connection, person_id)

    def end_at_provider(
        self, issuer: str, subject: str | None, sid: str | None = None, *, min_age: float = 0
    ) -> int:
        """End the sign-ins at a provider, one by its `sid`, or all of a subject.

        Younger ones than `min_age` (in seconds) go on. Returns how many there were.
        """
        is_ended: ColumnElement[bool] = table.c.verified_at.is_not(None)
        is_ended &= table.c.created_at <= self.database.clock.time() - min_age
        if sid:
            # Some providers send a `sid` only at the end.
            is_unknown = (table.c.provider_sid == "") if subject else false()
            is_ended &= (table.c.provider_sid == sid) | is_unknown
        if subject:
            is_person = (identities.c.issuer == issuer) & (identities.c.subject == subject)
            is_ended &= table.c.person_id.in_(select(identities.c.person_id).where(is_person))
        if not (sid or subject):
            return 0
        with self.database.write(durable=True) as connection:
            return connection.execute(delete(table).where(is_ended)).rowcount

    def _is_expired(self, now: float) -> ColumnElement[bool]:
        return or_(
            table.c.seen_at < now - self.idle_seconds, table.c.created_at < now - self.max_seconds
        )


def end_all(connection: Connection, person_id: str) -> None:
    """End all sign-ins of a person."""
    connection.execute(delete(table).where(table.c.person_id == person_id))
