"""The check of all limits before a message is accepted, and what pages say about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection

from chat.limits.person_limits import check_person_limits
from chat.limits.service_quota import QuotaReport, ServiceQuota
from chat.limits.usage import REACHED, Sender, SendingBlocked, Usage, UsageCount
from core.db.database import Database, DatabaseUnavailable
from core.languages import N_

FIRST_MESSAGE_REQUESTS = 2  # one request creates the conversation, one sends the message
# Pages show how many messages are left when at most this part of a limit is left.
SHOWN_PART = 10

SERVICE_BUSY = N_("The twin service has received too many requests.")


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
        self, database: Database, usage: Usage, quota: ServiceQuota, *, history_limit: int
    ) -> None:
        self.database = database
        self._usage = usage
        self._quota = quota
        self._history_limit = history_limit

    def accept_message(
        self, connection: Connection, sender: Sender, now: float, *, requests: int
    ) -> SendingStatus:
        """Count a message that needs `requests` requests, and return the status after it.

        Insert its turn in the same transaction. Raises SendingBlocked, after which the caller must
        roll back.
        """
        report = self._quota.read(connection, now)
        if report.retry_at:
            raise SendingBlocked(SERVICE_BUSY, self._local_time(report.retry_at, now))
        if report.remaining is not None and report.remaining < requests:
            raise SendingBlocked(REACHED["site"], self._local_time(report.resets_at, now))
        counts = self._usage.count_message(connection, sender, now)
        # The count has locked a row of the person, so their messages are checked one by one.
        check_person_limits(connection, sender.person, self._history_limit)
        return self._status(report, counts, now, sent=requests)

    def status(self, sender: Sender) -> SendingStatus:
        """Return the status before a message. While the database is unavailable, nothing is low."""
        with suppress(DatabaseUnavailable), self.database.read() as connection:
            now = self.database.now(connection)
            counts = self._usage.read(connection, sender, now)
            return self._status(self._quota.read(connection, now), counts, now)
        return SendingStatus()

    def _status(
        self, report: QuotaReport, counts: Sequence[UsageCount], now: float, *, sent: int = 0
    ) -> SendingStatus:
        """Return the status; `sent` requests are on their way to the service."""
        low = [
            MessagesLeft(
                count.limit - count.used,
                self._local_time(count.resets_at, now),
                is_for_everyone=count.rule in ("twin", "site"),
            )
            for count in counts
            if count.limit and (count.limit - count.used) * SHOWN_PART <= count.limit
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

    def _local_time(self, at: float | None, now: float) -> float | None:
        return None if at is None else self.database.to_local_time(at, now)


def requests_of_message(service_id: str | None) -> int:
    """Return how many requests a message needs: two if the conversation has no `service_id` yet."""
    return 1 if service_id else FIRST_MESSAGE_REQUESTS
