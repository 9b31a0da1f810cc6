"""Measurements of a running portal: its database, processes (/proc) and response times."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from typing import Any

import psycopg
import requests

# This name distinguishes the connections of the tests from those of the portal.
APPLICATION_NAME = "chaos"
TIMEOUT_SECONDS = 60


def select_rows(data: Path, query: str, database_url: str = "") -> list[tuple[Any, ...]]:
    """Return the rows of a query on the portal's database.

    The database is the one at `database_url`, or else the SQLite file in the data folder, which is
    opened read-only.
    """
    if database_url:
        with connect_postgresql(database_url) as connection:
            return connection.execute(query.encode()).fetchall()
    with closing(sqlite3.connect(f"file:{data / 'portal.db'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def connect_postgresql(database_url: str) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to PostgreSQL with the database URL of a portal. Each statement is committed."""
    url = database_url.replace("+psycopg", "")
    return psycopg.connect(url, autocommit=True, application_name=APPLICATION_NAME)


def count_running_replies(data: Path, database_url: str = "") -> int:
    """Count the replies without an end."""
    [[number]] = select_rows(
        data,
        "SELECT count(*) FROM turns"
        " WHERE id NOT IN (SELECT turn_id FROM entries WHERE kind = 'ended')",
        database_url,
    )
    return int(number)


def proc_status(pid: int, name: str) -> int:
    """Return a number from /proc/PID/status: VmRSS and VmHWM in KB, Threads."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def count_open_files(pid: int) -> int:
    """Count the open files and sockets of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def pss_kb(pid: int) -> int:
    """Return the memory of a process in KB: its own, and its share of shared memory (PSS)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1])


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process in seconds, including threads that have ended."""
    # The clock of another process, as clock_getcpuclockid(3) computes its id.
    return time.clock_gettime(~pid << 3 | 2)


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
