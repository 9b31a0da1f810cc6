"""The reader's time zone, from a cookie that a script sets, or else the zone of the server."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, tzinfo

from babel.dates import get_timezone
from flask import g, has_request_context, request

COOKIE_NAME = "zone"


def to_local_time(seconds: float) -> datetime:
    """Convert seconds since the epoch to a time in the reader's time zone."""
    return datetime.fromtimestamp(seconds, UTC).astimezone(_current_timezone())


def is_timezone_known() -> bool:
    """Return whether the reader's time zone is known."""
    return _current_timezone() is not None


def _current_timezone() -> tzinfo | None:
    if not has_request_context():
        return None
    if "timezone" not in g:
        g.timezone = _find_timezone(request.cookies.get(COOKIE_NAME, ""))
    timezone: tzinfo | None = g.timezone
    return timezone


def _find_timezone(name: str) -> tzinfo | None:
    with suppress(LookupError):
        return get_timezone(name) if name else None
    return None
