"""One-time links with which people set their passwords."""

from __future__ import annotations

import hashlib
import secrets

from sqlalchemy import Connection, delete, insert, select

from twindow.accounts import people
from twindow.accounts.people import Person
from twindow.accounts.schema import one_time_links as table

LINK_SECONDS = 24 * 3600


def create_link(connection: Connection, person_id: str, now: float) -> str:
    """Store a link that replaces earlier links of the person, and return the token."""
    token = secrets.token_urlsafe(24)
    connection.execute(delete(table).where(table.c.person_id == person_id))
    connection.execute(
        insert(table).values(
            person_id=person_id,
            token_hash=_hash(token),
            expires_at=now + LINK_SECONDS,
        )
    )
    return token


def find_person(connection: Connection, token: str, now: float) -> Person | None:
    """Return the person of a valid link. Links of disabled people are not valid."""
    is_valid = (table.c.token_hash == _hash(token)) & (table.c.expires_at > now)
    query = select(table.c.person_id).where(is_valid)
    person_id = connection.execute(query).scalar()
    person = people.find_by_id(connection, person_id) if person_id else None
    return None if person is None or person.is_disabled else person


def use_link(connection: Connection, token: str) -> bool:
    """Delete a link. Return False if another request has used the link."""
    return bool(
        connection.execute(delete(table).where(table.c.token_hash == _hash(token))).rowcount
    )


def _hash(token: str) -> str:
    # The token has 192 random bits: a fast hash is enough.
    return hashlib.sha256(token.encode()).hexdigest()
