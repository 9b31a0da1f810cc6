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
MIN_WAIT_SECONDS = 60.0
MAX_WAIT_SECONDS = 900.0
FORBIDDEN_RETRY_SECONDS = 60.0

SERVICE_BUSY = N_("The service has had too many requests for now.")
QUOTA_USED_UP = N_("All requests that the service allows this portal in an hour are used.")
SHARE_USED_UP = N_("You have used your share of the requests that everybody here has in an hour.")
KEY_IS_READ_ONLY = N_(
    "This portal may only read at the moment: its key does not allow it to write."
)

# Asked for by every page with a box, so they are made once.
_SELECT_ROW = select(allowances).where(allowances.c.key == bindparam("key"))
_COST = func.coalesce(func.sum(case((turns.c.position == 1, 2), else_=1)), 0)
_SELECT_SPENT = select(_COST, func.min(turns.c.created_at)).where(
    turns.c.charged, turns.c.created_at > bindparam("since")
)
_SELECT_SPENT_BY_PERSON = _SELECT_SPENT.join_from(turns, conversations).where(
    conversations.c.person == bindparam("person")
)


class SendingBlocked(Exception):
    """Raised when nothing can be sent; `until` is a time in seconds since 1970, if it is known."""

    def __init__(self, sentence: str, retry_at: float | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_at = retry_at


@dataclass(frozen=True, slots=True)
class RemainingQuota:
    """How many requests the hour still holds, of how many, and when there will be more."""

    remaining: int
    limit: int
    resets_at: float | None
    # False for our own count: only the service knows.
    is_from_service: bool


@dataclass(frozen=True, slots=True)
class QuotaStatus:
    """What is known of the next message before it is written; times in seconds since 1970."""

    can_write: bool = True
    # The service has said so.
    retry_at: float | None = None
    # A tenth of the hour or less, so that nobody is surprised.
    low_quota: RemainingQuota | None = None


class Quota:
    """Count the requests of one key.

    `limit` is what it has in an hour where the service does not say; `share` is 0..1.
    """

    def __init__(self, database: Database, key: str, *, limit: int, share: float) -> None:
        self.database = database
        self._clock = database.clock
        self._key = hashlib.sha256(key.encode()).hexdigest()
        self._limit = limit
        self._share = share

    def record_limits(self, limits: Limits) -> None:
        """Take note of what the service says."""
        now = self._clock.time()
        row = self._load_row()
        window = limits.window or max(limits.resets_in or 0, row.window or 0 if row else 0)
        self._save(
            request_limit=limits.limit,
            remaining=limits.remaining,
            resets_at=now + limits.resets_in if limits.resets_in is not None else None,
            window=window or None,
            heard_at=now,
        )

    def record_refusal(self, retry_after: float | None) -> float:
        """Take note of a refusal, and return until when nothing more should be sent."""
        now = self._clock.time()
        row = self._load_row()
        refusals = row.refusals if row else 0
        retry_at = row.refused_until if row and _is_upcoming(row.refused_until, now) else now
        if retry_after is not None:
            refusals, wait = 0, retry_after
        elif retry_at > now:
            wait = 0.0  # replies that were refused together are one refusal
        else:
            wait = min(MIN_WAIT_SECONDS * 2**refusals, MAX_WAIT_SECONDS)
            refusals += 1
        retry_at = max(retry_at, now + wait)
        self._save(refused_until=retry_at, refusals=refusals)
        return retry_at

    def record_forbidden(self) -> None:
        """Take note that the key may not write; after a while somebody may try again."""
        self._save(forbidden_until=self._clock.time() + FORBIDDEN_RETRY_SECONDS)

    def record_acceptance(self) -> None:
        """Take note that the service took a message."""
        row = self._load_row()
        if row and row.refusals:
            self._save(refusals=0)

    def status(self) -> QuotaStatus:
        """Say what is known of the next message, whoever writes it."""
        now = self._clock.time()
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            row = self._select_row(connection)
            remaining_quota = self._remaining(connection, row, now)
            low_quota = (
                remaining_quota if remaining_quota.remaining * 10 <= remaining_quota.limit else None
            )
            if row is None:
                return QuotaStatus(low_quota=low_quota)
            retry_at = row.refused_until if _is_upcoming(row.refused_until, now) else None
            return QuotaStatus(not _is_upcoming(row.forbidden_until, now), retry_at, low_quota)
        return QuotaStatus()

    def remaining(self) -> RemainingQuota:
        """Say what the hour still holds."""
        with self.database.read() as connection:
            return self._remaining(connection, self._select_row(connection), self._clock.time())

    def check(self, connection: Connection, person: str) -> None:
        """Let a person send one more message, or raise NotNow."""
        now = self._clock.time()
        row = self._select_row(connection)
        if row and _is_upcoming(row.forbidden_until, now):
            raise SendingBlocked(KEY_IS_READ_ONLY, None)
        if row and _is_upcoming(row.refused_until, now):
            raise SendingBlocked(SERVICE_BUSY, row.refused_until)
        remaining_quota = self._remaining(connection, row, now)
        if remaining_quota.is_from_service and not remaining_quota.remaining:
            raise SendingBlocked(QUOTA_USED_UP, remaining_quota.resets_at)
        if self._share >= 1 or _is_new_window(connection, row, now):
            return
        window = min((row.window if row else None) or HOUR_SECONDS, HOUR_SECONDS)
        own_spent, oldest = _count_spent(connection, now - window, person=person)
        # Half of what the others leave, say: so there is always something left for a newcomer.
        if own_spent and own_spent >= self._share * (remaining_quota.remaining + own_spent):
            raise SendingBlocked(SHARE_USED_UP, oldest + window if oldest else None)

    def _remaining(
        self, connection: Connection, row: Row[Any] | None, now: float
    ) -> RemainingQuota:
        if row and _is_fresh(row, now):
            spent_since, _ = _count_spent(connection, row.heard_at)
            remaining = max(0, row.remaining - spent_since)
            return RemainingQuota(
                remaining, row.request_limit or self._limit, row.resets_at, is_from_service=True
            )
        spent, oldest = _count_spent(connection, now - HOUR_SECONDS)
        limit = (row.request_limit if row else None) or self._limit
        resets_at = oldest + HOUR_SECONDS if oldest else None
        return RemainingQuota(max(0, limit - spent), limit, resets_at, is_from_service=False)

    def _load_row(self) -> Row[Any] | None:
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            return self._select_row(connection)
        return None

    def _select_row(self, connection: Connection) -> Row[Any] | None:
        return connection.execute(_SELECT_ROW, {"key": self._key}).first()

    def _save(self, **values: object) -> None:
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            upsert(connection, allowances, "key", {"key": self._key, **values})


def _is_upcoming(retry_at: float, now: float) -> bool:
    """Tell whether a time is still to come; farther than an hour, a clock has jumped."""
    return now < retry_at <= now + HOUR_SECONDS + 1


def _is_fresh(row: Row[Any], now: float) -> bool:
    """Tell whether what the service said is still so."""
    if row.heard_at is None or row.heard_at > now:
        return False
    return bool(now < (row.resets_at or row.heard_at + HOUR_SECONDS))


def _is_new_window(connection: Connection, row: Row[Any] | None, now: float) -> bool:
    """Tell whether a new hour has begun at the service of which nobody has heard yet."""
    if row is None or not row.resets_at or not row.resets_at <= now:
        return False
    spent, _ = _count_spent(connection, row.resets_at)
    return spent == 0


def _count_spent(
    connection: Connection, since: float, *, person: str | None = None
) -> tuple[int, float | None]:
    """Count what turns cost: a request each, and one more for each conversation that began."""
    query = _SELECT_SPENT if person is None else _SELECT_SPENT_BY_PERSON
    spent, oldest = connection.execute(query, {"since": since, "person": person}).one()
    return int(spent), oldest
