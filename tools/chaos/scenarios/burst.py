"""Many requests at once with one key, over several workers: the hourly limit is exact."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import requests

from tests.support.processes import create_api_key, run_server
from tools.chaos.report import Expectations, Report, exactly

HOURLY_LIMIT = 500
REQUESTS = 600
THREADS = 50

EXPECTATIONS: Expectations = {
    "accepted": exactly(HOURLY_LIMIT),
    "others": exactly({}),
    "after_restart": exactly(429),
}


def run(*, database_url: str = "") -> Report:
    """Send the requests with one key; then restart the service and send one more request.

    The requests alternate between the two headers that can contain the key.
    """
    settings = {"WORKERS": "2", "DATABASE_URL": database_url}
    with tempfile.TemporaryDirectory() as data:
        with run_server(Path(data), "-m", "twindow.service", **settings) as server:
            key = create_api_key(Path(data), "burst", **settings)
            auth_headers = cycle(({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}))
            started_at = time.monotonic()
            with ThreadPoolExecutor(THREADS) as pool:
                statuses = pool.map(_Client(server.url).get, islice(auth_headers, REQUESTS))
                status_counts = Counter(statuses)
            seconds = time.monotonic() - started_at
        with run_server(Path(data), "-m", "twindow.service", **settings) as server:
            status_after_restart = _Client(server.url).get({"X-API-Key": key})
    return {
        "asked": REQUESTS,
        "accepted": status_counts[200],
        "refused": status_counts[429],
        "others": {status: status_counts[status] for status in status_counts.keys() - {200, 429}},
        "after_restart": status_after_restart,
        "answers_a_second": round(REQUESTS / seconds),
    }


class _Client(threading.local):
    """A client of the service with a session for each thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, headers: Mapping[str, str]) -> int:
        """Return the status of a request."""
        url = f"{self.url}/api/v1/twins"
        with self.session.get(url, headers=headers, timeout=60) as response:
            return response.status_code
