"""The service's own limit of an API key: what the service has said about it, in any process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, or_

from twindow.chat.schema import api_quotas
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.statements import dialect_insert
from twindow.core.outbound.retry_after import DEFAULT_RETRY_SECONDS
from twindow.twinapi import RateLimitReport

# How long reported limits are valid if the service does not say when they reset.
VALID_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class QuotaReport:
    """What the service has last said. Times are by the clock of the database.

    `retry_at` is set while the service refuses requests. `remaining` is None if nothing is known.
    """

    retry_at: float | None = None
    remaining: int | None = None
    limit: int | None = None
    resets_at: float | None = None


class ServiceQuota:
    """The service's limit of the portal's key."""

    def __init__(self, database: Database, key: str) -> None:
        self.database = database
        self.key = hashlib.sha256(key.encode()).hexdigest()

    def record_report(self, report: RateLimitReport) -> None:
        """Store what a response reports, unless a newer report is known."""
        self.database.metrics.set("service_requests_left", report.remaining)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            now = self.database.now(connection)
            values = {
                "request_limit": report.limit,
                "remaining": report.remaining,
                "resets_at": None if report.resets_in is None else now + report.resets_in,
                "reported_at": now - report.elapsed,
            }
            self._store_latest(connection, values, "reported_at")

    def record_refusal(self, retry_after: float | None) -> float:
        """Store that the service has refused a request with status 429.

        `retry_after` is the wait in seconds that the service asks for, or None. Returns when to try
        again, in seconds since 1970.
        """
        wait = DEFAULT_RETRY_SECONDS if retry_after is None else retry_after
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            now = self.database.now(connection)
            self._store_latest(connection, {"retry_at": now + wait}, "retry_at")
            return self.database.to_local_time(now + wait, now)
        return self.database.clock.time() + wait

    @staticmethod
    def report(row: Any, now: float) -> QuotaReport:
        """Return what is still valid of a row of `api_quotas`, whose values may all be null."""
        retry_at = row.retry_at if row.retry_at is not None and now < row.retry_at else None
        if row.reported_at is None or now >= (row.resets_at or row.reported_at + VALID_SECONDS):
            return QuotaReport(retry_at)
        return QuotaReport(retry_at, row.remaining, row.request_limit, row.resets_at)

    def _store_latest(
        self, connection: Connection, values: Mapping[str, object], time_column: str
    ) -> None:
        """Store values, unless the stored value of `time_column` is higher."""
        insert = dialect_insert(connection.dialect.name, api_quotas)
        stored, new = api_quotas.c[time_column], insert.excluded[time_column]
        statement = insert.values(key=self.key, **values).on_conflict_do_update(
            index_elements=[api_quotas.c.key],
            set_=values,
            where=or_(stored.is_(None), stored <= new),
        )
        connection.execute(statement)
