"""Page latency for a visitor who requests pages all the time."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Sequence

import requests

from tests.support.person import Person
from tools.chaos.report import Report

PAGE_INTERVAL_SECONDS = 0.02
MIN_SECONDS = 5.0
MAX_SECONDS = 25.0


def measure_latency(person: Person, paths: Sequence[str], background: threading.Thread) -> Report:
    """Request a page every 20 ms while `background` runs, and for at least `MIN_SECONDS`.

    The measurement ends after `MAX_SECONDS` in any case.
    """
    durations: list[float] = []
    failed_count = 0
    started_at = time.monotonic()
    while (elapsed := time.monotonic() - started_at) < MAX_SECONDS and (
        elapsed < MIN_SECONDS or background.is_alive()
    ):
        url = person.base_url + paths[len(durations) % len(paths)]
        requested_at = time.monotonic()
        try:
            failed_count += person.session.get(url, timeout=MAX_SECONDS).status_code != 200
        except requests.RequestException:
            failed_count += 1
        durations.append(time.monotonic() - requested_at)
        time.sleep(max(0.0, PAGE_INTERVAL_SECONDS - durations[-1]))
    percentiles = statistics.quantiles(durations, n=100)
    return {
        "looks": len(durations),
        "refused": failed_count,
        "p50_ms": round(percentiles[49] * 1000, 1),
        "p99_ms": round(percentiles[98] * 1000, 1),
        "max_ms": round(max(durations) * 1000, 1),
    }
