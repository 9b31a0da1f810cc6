"""The window of the quota: the period whose requests count, and their limit."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Row

HOUR_SECONDS = 3600.0


class QuotaWindow(NamedTuple):
    """The limit, its period in seconds, and the time from which requests count.

    `is_reported` is True while the remaining quota that the service has reported is valid.
    """

    limit: int
    seconds: float
    since: float
    is_reported: bool


def quota_window(row: Row[Any] | None, default_limit: int, now: float) -> QuotaWindow:
    """Return the window according to the last report of the service.

    Without a report, or an hour after it has expired, `default_limit` applies to the last hour.
    """
    if row and row.heard_at is not None and row.heard_at <= now:
        expires_at = row.resets_at or row.heard_at + HOUR_SECONDS
        seconds = min(row.window or HOUR_SECONDS, HOUR_SECONDS)
        limit = row.request_limit or default_limit
        if now < expires_at:
            return QuotaWindow(limit, seconds, now - seconds, is_reported=True)
        if now < expires_at + HOUR_SECONDS:
            # The service has reset its window: what was sent before does not count any more.
            return QuotaWindow(limit, seconds, max(now - seconds, expires_at), is_reported=False)
    return QuotaWindow(default_limit, HOUR_SECONDS, now - HOUR_SECONDS, is_reported=False)
