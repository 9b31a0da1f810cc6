"""The check of all limits before a message is accepted, and what pages say about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, literal, select

from twindow.chat.limits.person_limits import RUNNING_COUNT, SAVED_COUNT, check_person_limits
from twindow.chat.limits.sender import Sender, SendingBlocked
from twindow.chat.limits.service_quota import QuotaReport, ServiceQuota
from twindow.chat.schema import api_quotas
from twindow.core.db.counters import (
    DAY_SECONDS,
    HOUR_SECONDS,
    Count,
    Counters,
    Limit,
    LimitReached,
    counts_from_rows,
    keys_of,
)
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.languages import N_
from twindow.core.settings import LimitPeriod, LimitScope, MessageLimits

FIRST_MESSAGE_REQUESTS = 2  # one request creates the conversation, one sends the message
# Pages show how many messages are left when at most this part of a limit is left.
SHOWN_PART = 10

REACHED = {
    "person": N_("You've reached your message limit."),
    "address": N_("Your network has reached its message limit."),
    "twin": N_("This twin has reached its message limit."),
    "site": N_("This portal has reached its message limit."),
}
SERVICE_BUSY = N_("The twin service has received too many requests.")


# The query is built once, because every message executes it.
_QUOTA = select(literal(1)).subquery().outerjoin(api_quotas, api_quotas.c.key == bindparam("key"))
_STATUS = select(
    RUNNING_COUNT.label("running_count"), SAVED_COUNT.label("saved_count"), api_quotas
).select_from(_QUOTA)


@dataclass(frozen=True, slots=True)
class MessagesLeft:
    """How many messages can be sent before a limit is reached.

    `is_for_everyone` is False if the limit is one person's. `resets_at` is in seconds since 1970,
    or None if unknown.
    """

    count: int
    resets_at: float | None
    is_for_everyone: bool


@dataclass(frozen=True, slots=True)
class SendingStatus:
    """What the composer says about limits.

    `retry_at` is until when the service refuses messages, in seconds since 1970, or None.
    `messages_left` is set when a tenth of a limit or less is left.
    """

    retry_at: float | None = None
    messages_left: MessagesLeft | None = None


class Limits:
    """All limits of messages."""

    def __init__(
        self,
        database: Database,
        counters: Counters,
        quota: ServiceQuota,
        limits: MessageLimits,
        *,
        history_limit: int,
    ) -> None:
        self.database = database
        self._counters = counters
        self._quota = quota
        self._limits = limits
        self._history_limit = history_limit
        self._select_status = select(*counters.columns, api_quotas).select_from(
            _QUOTA.outerjoin(counters.table, counters.is_wanted)
        )

    def accept_message(
        self, connection: Connection, sender: Sender, now: float, *, requests: int
    ) -> SendingStatus:
        """Count a message that needs `requests` requests, and return the status after it.

        Insert its turn in the same transaction. Raises SendingBlocked, after which the caller must
        roll back.
        """
        try:
            counts = self._counters.count(connection, self._limits_of(sender), now)
        except LimitReached as error:
            retry_at = self._local_time(error.count.resets_at, now)
            raise SendingBlocked(REACHED[error.count.limit.scope], retry_at) from None
        # The count has locked a row of the person, so their messages are checked one by one.
        parameters = {
            "person": sender.person,
            "history_limit": self._history_limit,
            "key": self._quota.key,
        }
        row = connection.execute(_STATUS, parameters).one()
        report = self._quota.report(row, now)
        if report.retry_at:
            raise SendingBlocked(SERVICE_BUSY, self._local_time(report.retry_at, now))
        if report.remaining is not None and report.remaining < requests:
            raise SendingBlocked(REACHED["site"], self._local_time(report.resets_at, now))
        check_person_limits(row.running_count, row.saved_count, self._history_limit)
        return self._status(report, counts, now, sent=requests)

    def status(self, sender: Sender) -> SendingStatus:
        """Return the status before a message. While the database is unavailable, nothing is low."""
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            now = self.database.now(connection)
            limits = [limit for limit in self._limits_of(sender) if limit.maximum]
            parameters = {"key": self._quota.key, "keys": keys_of(limits, now)}
            rows = connection.execute(self._select_status, parameters).all()
            counts = counts_from_rows([row[:3] for row in rows], limits, now)
            return self._status(self._quota.report(rows[0], now), counts, now)
        return SendingStatus()

    def _status(
        self, report: QuotaReport, counts: Sequence[Count], now: float, *, sent: int = 0
    ) -> SendingStatus:
        """Return the status; `sent` requests are on their way to the service."""
        low = [
            MessagesLeft(
                maximum - count.used,
                self._local_time(count.resets_at, now),
                is_for_everyone=count.limit.scope in ("twin", "site"),
            )
            for count in counts
            if (maximum := count.limit.maximum) and (maximum - count.used) * SHOWN_PART <= maximum
        ]
        if report.remaining is not None and report.limit:
            remaining = max(0, report.remaining - sent)
            if remaining * SHOWN_PART <= report.limit:
                resets_at = self._local_time(report.resets_at, now)
                low.append(MessagesLeft(remaining, resets_at, is_for_everyone=True))
        return SendingStatus(
            retry_at=self._local_time(report.retry_at, now),
            messages_left=min(low, key=lambda left: left.count, default=None),
        )

    def _limits_of(self, sender: Sender) -> Sequence[Limit]:
        """Return what a message counts towards: always towards a row of the person, as a lock."""
        subjects: list[tuple[LimitScope, str | None]] = [
            ("person", sender.person),
            ("address", sender.visitor_address),
            ("twin", sender.twin_id),
            ("site", ""),
        ]
        periods: list[tuple[LimitPeriod, int]] = [("hour", HOUR_SECONDS), ("day", DAY_SECONDS)]
        limits = [
            Limit(scope, subject, seconds, maximum)
            for scope, subject in subjects
            for period, seconds in periods
            if subject is not None and (maximum := self._limits.count(scope, period))
        ]
        if not any(limit.scope == "person" for limit in limits):
            limits.insert(0, Limit("person", sender.person, HOUR_SECONDS, None))
        return limits

    def _local_time(self, at: float | None, now: float) -> float | None:
        return None if at is None else self.database.to_local_time(at, now)
