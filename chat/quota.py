"""What the key may still do in this hour, and each person's fair share of it.

All share one key. What is left is known from the service's own headers where it sends them, else
from our own count; what never reached the service is not counted, so a retry is not paid twice.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, case, func, select

from chat.schema import allowances, conversations, turns
from core.database import Database, DatabaseUnavailable, upsert
from core.languages import N_
from twinapi import Limits

HOUR_SECONDS = 3600.0
# Without a word of the service: a minute at first, twice as long after each further refusal.
FIRST_WAIT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 900.0
FORBIDDEN_SECONDS = 60.0

BUSY = N_("The service has had too many requests for now.")
USED_UP = N_("All requests that the service allows this portal in an hour are used.")
SHARE = N_("You have used your share of the requests that everybody here has in an hour.")
MAY_ONLY_READ = N_("This portal may only read at the moment: its key does not allow it to write.")

# Asked for by every page with a box, so they are made once.
_ROW = select(allowances).where(allowances.c.key == bindparam("key"))
_COST = func.coalesce(func.sum(case((turns.c.position == 1, 2), else_=1)), 0)
_SPENT = select(_COST, func.min(turns.c.created_at)).where(
    turns.c.charged, turns.c.created_at > bindparam("since")
)
_SPENT_BY_ONE = _SPENT.join_from(turns, conversations).where(
    conversations.c.person == bindparam("person")
)


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


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of the next message before it is written; times in seconds since 1970."""

    may_write: bool = True
    # The service has said so.
    refused_until: float | None = None
    # A tenth of the hour or less, so that nobody is surprised.
    few_left: Left | None = None


class Allowance:
    """Count the requests of one key.

    `limit` is what it has in an hour where the service does not say; `share` is 0..1.
    """

    def __init__(self, database: Database, key: str, *, limit: int, share: float) -> None:
        self.database = database
        self._clock = database.clock
        self._key = hashlib.sha256(key.encode()).hexdigest()
        self._limit = limit
        self._share = share

    def heard(self, limits: Limits) -> None:
        """Take note of what the service says."""
        now = self._clock.time()
        known = self._row()
        window = limits.window or max(limits.resets_in or 0, known.window or 0 if known else 0)
        self._note(
            request_limit=limits.limit,
            remaining=limits.remaining,
            resets_at=now + limits.resets_in if limits.resets_in is not None else None,
            window=window or None,
            heard_at=now,
        )

    def refused(self, retry_after: float | None) -> float:
        """Take note of a refusal, and return until when nothing more should be sent."""
        now = self._clock.time()
        known = self._row()
        refusals = known.refusals if known else 0
        until = known.refused_until if known and _is_near(known.refused_until, now) else now
        if retry_after is not None:
            refusals, wait = 0, retry_after
        elif until > now:
            wait = 0.0  # replies that were refused together are one refusal
        else:
            wait = min(FIRST_WAIT_SECONDS * 2**refusals, LONGEST_WAIT_SECONDS)
            refusals += 1
        until = max(until, now + wait)
        self._note(refused_until=until, refusals=refusals)
        return until

    def forbidden(self) -> None:
        """Take note that the key may not write; after a while somebody may try again."""
        self._note(forbidden_until=self._clock.time() + FORBIDDEN_SECONDS)

    def accepted(self) -> None:
        """Take note that the service took a message."""
        known = self._row()
        if known and known.refusals:
            self._note(refusals=0)

    def outlook(self) -> Outlook:
        """Say what is known of the next message, whoever writes it."""
        now = self._clock.time()
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            row = self._read(connection)
            left = self._left(connection, row, now)
            few_left = left if left.remaining * 10 <= left.limit else None
            if row is None:
                return Outlook(few_left=few_left)
            refused_until = row.refused_until if _is_near(row.refused_until, now) else None
            return Outlook(not _is_near(row.forbidden_until, now), refused_until, few_left)
        return Outlook()

    def left(self) -> Left:
        """Say what the hour still holds."""
        with self.database.read() as connection:
            return self._left(connection, self._read(connection), self._clock.time())

    def check(self, connection: Connection, person: str) -> None:
        """Let a person send one more message, or raise NotNow."""
        now = self._clock.time()
        row = self._read(connection)
        if row and _is_near(row.forbidden_until, now):
            raise NotNow(MAY_ONLY_READ, None)
        if row and _is_near(row.refused_until, now):
            raise NotNow(BUSY, row.refused_until)
        left = self._left(connection, row, now)
        if left.certain and not left.remaining:
            raise NotNow(USED_UP, left.resets_at)
        if self._share >= 1 or _is_new_window(connection, row, now):
            return
        window = min((row.window if row else None) or HOUR_SECONDS, HOUR_SECONDS)
        own, oldest = _spent(connection, now - window, person=person)
        # Half of what the others leave, say: so there is always something left for a newcomer.
        if own and own >= self._share * (left.remaining + own):
            raise NotNow(SHARE, oldest + window if oldest else None)

    def _left(self, connection: Connection, row: Row[Any] | None, now: float) -> Left:
        if row and _is_fresh(row, now):
            since, _ = _spent(connection, row.heard_at)
            remaining = max(0, row.remaining - since)
            return Left(remaining, row.request_limit or self._limit, row.resets_at, certain=True)
        spent, oldest = _spent(connection, now - HOUR_SECONDS)
        limit = (row.request_limit if row else None) or self._limit
        resets_at = oldest + HOUR_SECONDS if oldest else None
        return Left(max(0, limit - spent), limit, resets_at, certain=False)

    def _row(self) -> Row[Any] | None:
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            return self._read(connection)
        return None

    def _read(self, connection: Connection) -> Row[Any] | None:
        return connection.execute(_ROW, {"key": self._key}).first()

    def _note(self, **values: object) -> None:
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            upsert(connection, allowances, "key", {"key": self._key, **values})


def _is_near(until: float, now: float) -> bool:
    """Tell whether a time is still to come; farther than an hour, a clock has jumped."""
    return now < until <= now + HOUR_SECONDS + 1


def _is_fresh(row: Row[Any], now: float) -> bool:
    """Tell whether what the service said is still so."""
    if row.heard_at is None or row.heard_at > now:
        return False
    return bool(now < (row.resets_at or row.heard_at + HOUR_SECONDS))


def _is_new_window(connection: Connection, row: Row[Any] | None, now: float) -> bool:
    """Tell whether a new hour has begun at the service of which nobody has heard yet."""
    if row is None or not row.resets_at or not row.resets_at <= now:
        return False
    spent, _ = _spent(connection, row.resets_at)
    return spent == 0


def _spent(
    connection: Connection, since: float, *, person: str | None = None
) -> tuple[int, float | None]:
    """Count what turns cost: a request each, and one more for each conversation that began."""
    query = _SPENT if person is None else _SPENT_BY_ONE
    spent, oldest = connection.execute(query, {"since": since, "person": person}).one()
    return int(spent), oldest
