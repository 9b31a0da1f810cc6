"""Hourly quota of an API key, and the fair share of each person and address.

Most people share the portal's key. The remaining quota is taken from the service's headers, or
from our own count if it sends none. Requests are counted before they are sent; those that cannot
have reached the service are subtracted later, so a retry is not charged twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from chat.quota.history_limit import check_history
from chat.quota.reply_limit import check_running_replies
from chat.quota.spent_requests import (
    add_requests,
    count_spent,
    count_spent_by_person,
    count_spent_from_address,
)
from chat.quota.status import QuotaStatus, RemainingQuota, SendingBlocked
from chat.quota.window import HOUR_SECONDS, quota_window
from chat.schema import allowances
from core.database import Database, DatabaseUnavailable, upsert
from core.languages import N_
from twinapi import Limits

# Waiting time if the service does not state one: doubled with each further refusal.
MIN_WAIT_SECONDS = 60.0
MAX_WAIT_SECONDS = 900.0
FORBIDDEN_RETRY_SECONDS = 60.0
QUOTA_LOCK = "quota"

SERVICE_BUSY = N_("The twin service has received too many requests.")
QUOTA_USED_UP = N_("This portal has reached its hourly limit.")
OWN_QUOTA_USED_UP = N_("Your key has reached its hourly limit.")
SHARE_USED_UP = N_("You've reached your share of the hourly limit.")
ADDRESS_SHARE_USED_UP = N_("Your network has reached its share of the hourly limit.")
KEY_IS_READ_ONLY = N_("Sending is disabled: this portal currently has read-only access.")
OWN_KEY_IS_READ_ONLY = N_("Sending is disabled: your key is read-only.")

# The query is built once, because every page with a composer executes it.
_SELECT_ROW = select(allowances).where(allowances.c.key == bindparam("key"))


class Quota:
    """Hourly quota of one key.

    `limit` is the number of requests per hour if the service does not state a limit. One person may
    use the fraction `share` (0-1) of the requests that other people have not used. All people at
    one address together may use the fraction `address_share` of the requests that other addresses
    have not used. A fraction of 1 means no such limit. `owner` is the id of the person who has the
    key, or "" for the portal's key.
    """

    # Number of messages that a person may keep.
    history_limit = 10_000
    # Number of replies to a person that may run at once.
    running_replies_limit = 1_000

    def __init__(
        self,
        database: Database,
        key: str,
        *,
        limit: int,
        share: float,
        address_share: float = 1,
        owner: str = "",
    ) -> None:
        self.database = database
        self.owner = owner
        self._key = hashlib.sha256(key.encode()).hexdigest()
        self._limit = limit
        self._share = share
        # The share of an address must not be smaller than the share of one person.
        self._address_share = max(share, address_share)

    def record_limits(self, limits: Limits) -> None:
        """Store the rate limits that the service has reported, unless newer ones are known."""

        def values(row: Row[Any] | None, now: float) -> dict[str, object]:
            requested_at = now - limits.elapsed
            if row and row.heard_at and requested_at < row.heard_at <= now:
                return {}  # the stored limits are newer
            window = limits.window or max(limits.resets_in or 0, row.window or 0 if row else 0)
            return {
                "request_limit": limits.limit,
                "remaining": limits.remaining,
                "resets_at": now + limits.resets_in if limits.resets_in is not None else None,
                "window": window or None,
                "heard_at": requested_at,
            }

        self._update(values)

    def record_refusal(self, retry_after: float | None) -> float:
        """Store that the service has rate-limited a request. Return when to try again.

        `retry_after` is the waiting time in seconds that the service asks for, or None. The result
        is a time in seconds since 1970.
        """
        default_wait = MIN_WAIT_SECONDS if retry_after is None else retry_after
        local_retry_at = self.database.clock.time() + default_wait

        def values(row: Row[Any] | None, now: float) -> dict[str, object]:
            nonlocal local_retry_at
            refusals = row.refusals if row else 0
            retry_at = row.refused_until if row and _is_upcoming(row.refused_until, now) else now
            if retry_after is not None:
                refusals, wait = 0, retry_after
            elif retry_at > now:
                wait = 0.0  # another refusal during the wait does not count
            else:
                wait = min(MIN_WAIT_SECONDS * 2**refusals, MAX_WAIT_SECONDS)
                refusals += 1
            retry_at = max(retry_at, now + wait)
            local_retry_at = self.database.to_local_time(retry_at, now)
            return {"refused_until": retry_at, "refusals": refusals}

        self._update(values)
        return local_retry_at

    def record_forbidden(self, twin_id: str) -> bool:
        """Store that the service has forbidden a message. Return whether the key is read-only.

        The key counts as read-only if messages to two different twins in a row are forbidden: one
        twin may be forbidden for other reasons. Pages then say for `FORBIDDEN_RETRY_SECONDS` that
        sending is disabled.
        """
        is_read_only = False

        def values(row: Row[Any] | None, now: float) -> dict[str, object]:
            nonlocal is_read_only
            is_read_only = row is not None and row.forbidden_twin not in (None, twin_id)
            until = {"forbidden_until": now + FORBIDDEN_RETRY_SECONDS} if is_read_only else {}
            return {"forbidden_twin": twin_id, **until}

        self._update(values)
        return is_read_only

    def record_acceptance(self) -> None:
        """Forget earlier refusals, because the service has accepted a message."""
        row = self._load_row()
        if row and (row.refusals or row.forbidden_until or row.forbidden_twin is not None):
            self._update(lambda *_: {"refusals": 0, "forbidden_until": 0.0, "forbidden_twin": None})

    def status(self) -> QuotaStatus:
        """Return whether messages can be sent with this key, and a warning if little quota is left.

        Returns the default status while the database is unavailable.
        """
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            return self.read_status(connection)
        return QuotaStatus()

    def read_status(self, connection: Connection) -> QuotaStatus:
        """Return the same as `status`, read with this connection."""
        now = self.database.now(connection)
        row = self._select_row(connection)
        remaining_quota = self._remaining(connection, row, now)
        low_quota = (
            remaining_quota if remaining_quota.remaining * 10 <= remaining_quota.limit else None
        )
        if row is None:
            return QuotaStatus(low_quota=low_quota)
        retry_at = None
        if _is_upcoming(row.refused_until, now):
            retry_at = self.database.to_local_time(row.refused_until, now)
        return QuotaStatus(not _is_upcoming(row.forbidden_until, now), retry_at, low_quota)

    def remaining(self) -> RemainingQuota:
        """Return the remaining quota of the hour."""
        with self.database.read() as connection:
            row = self._select_row(connection)
            return self._remaining(connection, row, self.database.now(connection))

    def check(
        self,
        connection: Connection,
        person: str,
        address_hashes: Sequence[str] = (),
        *,
        requests: int = 1,
    ) -> None:
        """Check that the person may now send a message that needs `requests` requests.

        Insert the turn in the same transaction to reserve its requests. Other processes wait until
        this transaction ends. Raises SendingBlocked.
        """
        self.database.advisory_lock(connection, QUOTA_LOCK)
        check_history(connection, person, self.history_limit)
        check_running_replies(connection, person, self.running_replies_limit)
        now = self.database.now(connection)
        row = self._select_row(connection)
        if row and _is_upcoming(row.refused_until, now):
            retry_at = self.database.to_local_time(row.refused_until, now)
            raise SendingBlocked(SERVICE_BUSY, retry_at)
        quota = self._remaining(connection, row, now)
        if quota.remaining < requests:
            sentence = OWN_QUOTA_USED_UP if self.owner else QUOTA_USED_UP
            raise SendingBlocked(sentence, quota.resets_at)
        window = quota_window(row, self._limit, now)
        by_person = count_spent_by_person(connection, window.since, person)
        from_address = count_spent_from_address(connection, window.since, address_hashes)
        for (spent, oldest), share, sentence in (
            (by_person, self._share, SHARE_USED_UP),
            (from_address, self._address_share, ADDRESS_SHARE_USED_UP),
        ):
            # With a share of one half, for example, a new person always has some quota left.
            if oldest and share < 1 and spent >= share * (quota.remaining + spent):
                retry_at = self.database.to_local_time(oldest + window.seconds, now)
                raise SendingBlocked(sentence, retry_at)

    def reserve(self, turn_id: str, requests: int) -> bool:
        """Reserve more requests for a turn. Return False if the quota is used up.

        Raises DatabaseUnavailable.
        """
        with self.database.write() as connection:
            self.database.advisory_lock(connection, QUOTA_LOCK)
            row = self._select_row(connection)
            if self._remaining(connection, row, self.database.now(connection)).remaining < requests:
                return False
            add_requests(connection, turn_id, requests)
            return True

    def _remaining(
        self, connection: Connection, row: Row[Any] | None, now: float
    ) -> RemainingQuota:
        window = quota_window(row, self._limit, now)
        if row and window.is_reported:
            spent, _ = count_spent(connection, row.heard_at, self.owner)
            remaining, resets_at = row.remaining - spent, row.resets_at
        else:
            spent, oldest = count_spent(connection, window.since, self.owner)
            remaining = window.limit - spent
            resets_at = oldest + window.seconds if oldest else None
        local_resets_at = self.database.to_local_time(resets_at, now) if resets_at else None
        return RemainingQuota(max(0, remaining), window.limit, local_resets_at)

    def _load_row(self) -> Row[Any] | None:
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            return self._select_row(connection)
        return None

    def _select_row(self, connection: Connection) -> Row[Any] | None:
        return connection.execute(_SELECT_ROW, {"key": self._key}).first()

    def _update(self, values: Callable[[Row[Any] | None, float], dict[str, object]]) -> None:
        """Call `values` with the current row and time, and store the result unless it is empty."""
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self.database.advisory_lock(connection, QUOTA_LOCK)
            now = self.database.now(connection)
            if new_values := values(self._select_row(connection), now):
                upsert(connection, allowances, "key", {"key": self._key, **new_values})


def _is_upcoming(retry_at: float, now: float) -> bool:
    """Return whether a time is in the future.

    A time more than an hour ahead is ignored, because a clock must have jumped.
    """
    return now < retry_at <= now + HOUR_SECONDS + 1
