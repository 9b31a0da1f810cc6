"""What the portal counts while it runs, for a monitoring system."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal

CounterName = Literal[
    "replies", "http_requests", "sign_ins", "messages_refused", "database_failures"
]
GaugeName = Literal[
    "replies_running", "streams_open", "event_loop_lag_seconds", "service_requests_left"
]

# For each counter: its explanation, its label and all values of the label.
COUNTERS: Mapping[CounterName, tuple[str, str, tuple[str, ...]]] = {
    "replies": ("Ended replies.", "end", ("complete", "failed", "interrupted", "stopped")),
    "http_requests": ("Answered requests.", "status", ("2xx", "3xx", "4xx", "5xx")),
    "sign_ins": ("Attempts to sign in.", "result", ("accepted", "refused", "delayed")),
    "messages_refused": ("Messages that a limit has refused.", "", ()),
    "database_failures": ("Transactions that have failed for lack of a database.", "", ()),
}
# For each gauge: its explanation, and how the values of the workers are combined.
GAUGES: Mapping[GaugeName, tuple[str, str]] = {
    "replies_running": ("Running replies.", "livesum"),
    "streams_open": ("Open streams: replies, pages without JavaScript, exports.", "livesum"),
    "event_loop_lag_seconds": ("How late the slowest worker continues after a pause.", "livemax"),
    "service_requests_left": ("Requests that the service still accepts.", "livemostrecent"),
}
# Until it is known, this series does not exist: 0 would be an alarm.
LATE_GAUGES: Set[GaugeName] = {"service_requests_left"}


class Metrics:
    """Receiver of counts and measurements. This one ignores them: metrics are off by default."""

    def count(self, name: CounterName, label: str = "") -> None:
        """Add 1 to a counter; `label` is the value of its label, if it has one."""

    def set(self, name: GaugeName, value: float) -> None:
        """Store the current value of this process."""

    def observe_first_text(self, seconds: float) -> None:
        """Record how long after the message the first text of its reply has come."""


NO_METRICS = Metrics()
