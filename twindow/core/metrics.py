"""What the portal counts while it runs, for a monitoring system."""

from __future__ import annotations

from typing import Literal

CounterName = Literal[
    "replies", "http_requests", "sign_ins", "messages_refused", "database_failures"
]
GaugeName = Literal[
    "replies_running", "streams_open", "event_loop_lag_seconds", "service_requests_left"
]


class Metrics:
    """Receiver of counts and measurements. This one ignores them: metrics are off by default."""

    def count(self, name: CounterName, label: str = "") -> None:
        """Add 1 to a counter; `label` is the value of its label, if it has one."""

    def set(self, name: GaugeName, value: float) -> None:
        """Store the current value of this process."""

    def observe_first_text(self, seconds: float) -> None:
        """Record how long after the message the first text of its reply has come."""


NO_METRICS = Metrics()
