"""One-time links: to set a password, or to link another identity to an account."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

from sqlalchemy import Connection, delete, insert, select

from accounts import people
from accounts.people import Person
from accounts.schema import one_time_links as table

LINK_SECONDS = 24 * 3600

Purpose = Literal["password", "identity"]


def create_link(connection: Connection, person_id: str, purpose: Purpose, now: float) -> str:
    """Store a link that replaces earlier links with this purpose, and return the token."""
    token = secrets.token_urlsafe(24)
    is_earlier = (table.c.person_id == person_id) & (table.c.purpose == purpose)
    connection.execute(delete(table).where(is_earlier))
    connection.execute(
        insert(table).values(
            person_id=person_id,
            purpose=purpose,
            token_hash=_hash(token),
            expires_at=now + LINK_SECONDS,
        )
    )
    return token


def find_person(connection: Connection, token: str, purpose: Purpose, now: float) -> Person | None:
    """Return the person of a valid link. Links of disabled people are not valid."""
    is_link = (table.c.token_hash == _hash(token)) & (table.c.purpose == purpose)
    query = select(table.c.person_id).where(is_link, table.c.expires_at > now)
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
