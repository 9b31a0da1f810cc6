"""Many requests at once on one key, over several workers: exactly its limit is accepted."""

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

from tests.support.processes import new_key, running
from tools.chaos.report import Promises, Report, exactly

LIMIT = 500

PROMISES: Promises = {
    "accepted": exactly(LIMIT),
    "others": exactly(0),
    "after_restart": exactly(429),
}


def burst(asked: int = 600, *, threads: int = 50, workers: int = 2) -> Report:
    """Ask so often on one key, by both header forms in turn; restart, and ask once more."""
    with tempfile.TemporaryDirectory() as data:
        key = new_key(Path(data), "burst")
        forms = cycle(({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}))
        with running(Path(data), "-m", "service", WORKERS=str(workers)) as server:
            begun = time.monotonic()
            with ThreadPoolExecutor(threads) as pool:
                answers = Counter(pool.map(_asking(server.url), islice(forms, asked)))
            seconds = time.monotonic() - begun
        with running(Path(data), "-m", "service", WORKERS=str(workers)) as server:
            again = _asking(server.url)({"X-API-Key": key})
    return {
        "asked": asked,
        "accepted": answers[200],
        "refused": answers[429],
        "others": asked - answers[200] - answers[429],
        "after_restart": again,
        "answers_a_second": round(asked / seconds),
    }


def _asking(url: str) -> Callable[[Mapping[str, str]], int]:
    own = threading.local()

    def ask(headers: Mapping[str, str]) -> int:
        if not hasattr(own, "session"):
            own.session = requests.Session()
            own.session.trust_env = False
        with own.session.get(f"{url}/api/v1/twins", headers=headers, timeout=60) as answer:
            return int(answer.status_code)

    return ask
