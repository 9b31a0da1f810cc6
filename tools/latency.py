"""Response times of requests that are sent one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from statistics import quantiles

import requests

TIMEOUT_SECONDS = 60


@dataclass
class Latency:
    """The response times, and the number of requests without a successful response."""

    milliseconds: list[float] = field(default_factory=list)
    failed_count: int = 0

    def percentile(self, percent: int) -> float:
        """Return a percentile of the response times in milliseconds."""
        return quantiles(self.milliseconds, n=100)[percent - 1]


def measure_latency(
    session: requests.Session,
    urls: Sequence[str],
    is_over: Callable[[], bool],
    interval_seconds: float,
) -> Latency:
    """Request the URLs in turn until `is_over`; begin a request after each interval at most."""
    latency = Latency()
    for url in cycle(urls):
        started_at = time.monotonic()
        try:
            latency.failed_count += not session.get(url, timeout=TIMEOUT_SECONDS).ok
        except requests.RequestException:
            latency.failed_count += 1
        seconds = time.monotonic() - started_at
        latency.milliseconds.append(seconds * 1000)
        if is_over():
            break
        time.sleep(max(0.0, interval_seconds - seconds))
    return latency
