"""What the key may still do in this hour, and each person's fair share of it.

All share one key. What is left is known from the service's own headers where it sends them, else
from our own count; what never reached the service is not counted, so a retry is not paid twice.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from chat.tables import allowances, conversations, turns
from database import Database, DatabaseUnavailable, upsert
from twinapi import Limits

HOUR_SECONDS = 3600.0
# Without a word of the service: a minute at first, twice as long after each further refusal.
FIRST_WAIT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 900.0
FORBIDDEN_SECONDS = 60.0

BUSY = "The service has had too many requests for now."
USED_UP = "All requests that the service allows this portal in an hour are used."
SHARE = "You have used your share of the requests that everybody here has in an hour."
MAY_ONLY_READ = "This portal may only read at the moment: its key does not allow it to write."


class NotNow(Exception):
    """Raised when nothing can be sent; `until` is a time in seconds since 1970, if it is known."""

    def __init__(self, sentence: str, until: float | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.until = until


@dataclass(frozen=True, slots=True)
class Left:
    """How many requests the hour still holds, of how many, and when there will be more."""

    remaining: int
    limit: int
    resets_at: float | None
    # False for our own count: only the service knows.
    certain: bool


class Allowance:
    """Count requests. `limit` is what a key has where the service does not say; `share` is 0..1."""

    def __init__(self, database: Database, *, limit: int, share: float) -> None:
        self.database = database
        self._limit = limit
        self._share = share

    def heard(self, scope: str, limits: Limits) -> None:
        """Take note of what the service says of a key."""
        now = time.time()
        resets_at = now + limits.resets_in if limits.resets_in is not None else None
        self._note(
            scope,
            request_limit=limits.limit,
            remaining=limits.remaining,
            resets_at=resets_at,
            heard_at=now,
        )

    def refused(self, retry_after: float | None) -> float:
        """Take note of a refusal, and return until when nothing more should be sent."""
        with self.database.read() as connection:
            row = _row(connection)
        refusals = row.refusals if row else 0
        wait = min(FIRST_WAIT_SECONDS * 2**refusals, LONGEST_WAIT_SECONDS)
        until = time.time() + (wait if retry_after is None else retry_after)
        said_nothing = retry_after is None
        self._note("write", refused_until=until, refusals=refusals + 1 if said_nothing else 0)
        return until

    def forbidden(self) -> None:
        """Take note that the key may not write; after a while somebody may try again."""
        self._note("write", forbidden_until=time.time() + FORBIDDEN_SECONDS)

    def accepted(self) -> None:
        """Take note that the service took a message."""
        with self.database.read() as connection:
            row = _row(connection)
        if row and row.refusals:
            self._note("write", refusals=0)

    def may_write(self) -> bool:
        """Tell whether nothing is known against it."""
        with self.database.read() as connection:
            row = _row(connection)
        return row is None or row.forbidden_until <= time.time()

    def few_left(self) -> Left | None:
        """Say what the hour still holds when it is a tenth or less, so that nobody is surprised."""
        with self.database.read() as connection:
            left = self.left(connection)
        return left if left.remaining * 10 <= left.limit else None

    def left(self, connection: Connection) -> Left:
        """Say what the hour still holds."""
        now = time.time()
        row = _row(connection)
        heard_at = row.heard_at if row else None
        if row and heard_at is not None and now < (row.resets_at or heard_at + HOUR_SECONDS):
            since, _ = _spent(connection, turns.c.created_at > heard_at)
            remaining = max(0, row.remaining - since)
            return Left(remaining, row.request_limit or self._limit, row.resets_at, certain=True)
        spent, oldest = _spent(connection, turns.c.created_at > now - HOUR_SECONDS)
        limit = (row.request_limit if row else None) or self._limit
        resets_at = oldest + HOUR_SECONDS if oldest else None
        return Left(max(0, limit - spent), limit, resets_at, certain=False)

    def check(self, connection: Connection, person: str) -> None:
        """Let a person send one more message, or raise NotNow."""
        now = time.time()
        row = _row(connection)
        if row and row.forbidden_until > now:
            raise NotNow(MAY_ONLY_READ, None)
        if row and row.refused_until > now:
            raise NotNow(BUSY, row.refused_until)
        left = self.left(connection)
        if left.certain and not left.remaining:
            raise NotNow(USED_UP, left.resets_at)
        if self._share >= 1:
            return
        own, oldest = _spent(
            connection, conversations.c.person == person, turns.c.created_at > now - HOUR_SECONDS
        )
        # Half of what the others leave, say: so there is always something left for a newcomer.
        if own and own >= self._share * (left.remaining + own):
            raise NotNow(SHARE, oldest + HOUR_SECONDS if oldest else None)

    def _note(self, scope: str, **values: object) -> None:
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            upsert(connection, allowances, "scope", {"scope": scope, **values})


def _row(connection: Connection) -> Row[Any] | None:
    return connection.execute(select(allowances).where(allowances.c.scope == "write")).first()


def _spent(connection: Connection, *which: ColumnElement[bool]) -> tuple[int, float | None]:
    """Count what turns cost: a request each, and one more for each conversation that began."""
    cost = func.coalesce(func.sum(case((turns.c.position == 1, 2), else_=1)), 0)
    query = select(cost, func.min(turns.c.created_at)).select_from(turns).join(conversations)
    spent, oldest = connection.execute(query.where(turns.c.charged, *which)).one()
    return int(spent), oldest
