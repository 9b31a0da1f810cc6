"""Many requests at once with one key, over several workers: the hourly limit is exact."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import requests

from tests.support.processes import create_api_key, run_server
from tools.chaos.report import Expectations, Report, exactly
from tools.probes import database_settings

HOURLY_LIMIT = 500

EXPECTATIONS: Expectations = {
    "accepted": exactly(HOURLY_LIMIT),
    "others": exactly(0),
    "after_restart": exactly(429),
}


def run(
    request_count: int = 600,
    *,
    threads: int = 50,
    workers: int = 2,
    database_url: str | None = None,
) -> Report:
    """Send the requests with one key; then restart the service and send one more request.

    The requests alternate between the two headers that can contain the key.
    """
    database = database_settings(database_url)
    settings = {"WORKERS": str(workers)} | database
    with tempfile.TemporaryDirectory() as data:
        with run_server(Path(data), "-m", "service", **settings) as server:
            key = create_api_key(Path(data), "burst", **database)
            auth_headers = cycle(({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}))
            started_at = time.monotonic()
            with ThreadPoolExecutor(threads) as pool:
                status_counts = Counter(
                    pool.map(_request_sender(server.url), islice(auth_headers, request_count))
                )
            seconds = time.monotonic() - started_at
        with run_server(Path(data), "-m", "service", **settings) as server:
            status_after_restart = _request_sender(server.url)({"X-API-Key": key})
    return {
        "asked": request_count,
        "accepted": status_counts[200],
        "refused": status_counts[429],
        "others": request_count - status_counts[200] - status_counts[429],
        "after_restart": status_after_restart,
        "answers_a_second": round(request_count / seconds),
    }


def _request_sender(url: str) -> Callable[[Mapping[str, str]], int]:
    thread_local = threading.local()

    def send_request(headers: Mapping[str, str]) -> int:
        if not hasattr(thread_local, "session"):
            thread_local.session = requests.Session()
            thread_local.session.trust_env = False
        with thread_local.session.get(
            f"{url}/api/v1/twins", headers=headers, timeout=60
        ) as response:
            return int(response.status_code)

    return send_request
