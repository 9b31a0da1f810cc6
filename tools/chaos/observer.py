"""Somebody who looks at pages all the time, and takes down how long each took."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Sequence

import requests

from tests.support.person import Person
from tools.chaos.report import Report

LOOK_EACH_SECONDS = 0.02
AT_LEAST_SECONDS = 5.0
AT_MOST_SECONDS = 25.0


def watch(person: Person, places: Sequence[str], meanwhile: threading.Thread) -> Report:
    """Look at a page each 20 ms for as long as something else lasts, or a little longer."""
    waits: list[float] = []
    refused = 0
    begun = time.monotonic()
    while (past := time.monotonic() - begun) < AT_MOST_SECONDS and (
        past < AT_LEAST_SECONDS or meanwhile.is_alive()
    ):
        url = person.base_url + places[len(waits) % len(places)]
        asked = time.monotonic()
        try:
            refused += person.session.get(url, timeout=AT_MOST_SECONDS).status_code != 200
        except requests.RequestException:
            refused += 1
        waits.append(time.monotonic() - asked)
        time.sleep(max(0.0, LOOK_EACH_SECONDS - waits[-1]))
    cuts = statistics.quantiles(waits, n=100)
    return {
        "looks": len(waits),
        "refused": refused,
        "p50_ms": round(cuts[49] * 1000, 1),
        "p99_ms": round(cuts[98] * 1000, 1),
        "max_ms": round(max(waits) * 1000, 1),
    }
