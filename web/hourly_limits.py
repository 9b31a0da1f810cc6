"""Hourly limits per browser and per address, in each process."""

from __future__ import annotations

from flask import Flask, current_app

from core.clock import Clock
from web.container import Portal
from web.http import browser_id
from web.person.client_address import client_address

WINDOW_SECONDS = 3600
# The number of requests for API keys per hour from one browser, and from one address.
MAX_KEY_REQUESTS = 30
# The number of new sessions per hour from one address. A visitor who saves preferences before the
# first message gets a new session.
MAX_NEW_SESSIONS = 100
# Beyond this number of browsers and addresses in an hour, the least recent ones are forgotten.
MAX_COUNTERS = 10_000

_KEY_REQUESTS, _NEW_SESSIONS = "key_requests", "new_sessions"


class HourlyLimit:
    """Request counts of browsers and addresses in the current hour.

    The hour begins with the first request.
    """

    def __init__(self, limit: int, clock: Clock) -> None:
        self.limit = limit
        self._clock = clock
        self._began_at = clock.monotonic()
        self._counts: dict[str, int] = {}

    def count(self, *names: str) -> float:
        """Count a request for each browser or address in `names`, and return 0.

        If one of the names has reached the limit, count nothing and return the seconds to wait.
        """
        passed_seconds = self._clock.monotonic() - self._began_at
        if passed_seconds >= WINDOW_SECONDS or not self._counts:
            self._began_at, passed_seconds = self._clock.monotonic(), 0.0
            self._counts.clear()
        if any(self._counts.get(name, 0) >= self.limit for name in names):
            return WINDOW_SECONDS - passed_seconds
        for name in names:
            self._counts[name] = self._counts.pop(name, 0) + 1
        while len(self._counts) > MAX_COUNTERS:
            del self._counts[next(iter(self._counts))]
        return 0.0


def init_app(app: Flask, portal: Portal) -> None:
    """Create the counters of this app."""
    app.extensions[_KEY_REQUESTS] = HourlyLimit(MAX_KEY_REQUESTS, portal.clock)
    app.extensions[_NEW_SESSIONS] = HourlyLimit(MAX_NEW_SESSIONS, portal.clock)


def count_key_request() -> float:
    """Count a request for an API key. Return 0, or the seconds to wait before a retry."""
    limit: HourlyLimit = current_app.extensions[_KEY_REQUESTS]
    return limit.count(f"browser {browser_id.browser_id()}", f"address {client_address()}")


def count_new_session() -> float:
    """Count a new session with preferences. Return 0, or the seconds to wait before a retry."""
    limit: HourlyLimit = current_app.extensions[_NEW_SESSIONS]
    return limit.count(f"address {client_address()}")
