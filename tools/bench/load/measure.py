"""The measurements: cost and delay of a delta, memory of a reply, and the pages of others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import requests

from tests.support.postgres import run_postgres
from tests.support.waiting import poll_until
from tools.bench.load.systems import System, run_nginx, run_relay, run_twindow
from tools.bench.sampled_app import EVENT_LOOP, STAGES
from tools.bench.table import Row, Table, ratio
from tools.probes import measure_latency
from twindow.chat.log.log import MAX_REPLIES_OF_PROCESS
from twindow.paths import ROOT

DELTAS = 140  # of each reply: fourteen seconds
# In seconds after the beginning of the replies: when deltas are measured, and then pages.
WINDOW = 2.0, 8.0
END_OF_PAGES = 13.0
PAGE_INTERVAL_SECONDS = 0.1
# In half a second.
IDLE_CPU_SECONDS = 0.02
# How often each number of replies is measured.
ROUNDS = {1: 1, 50: 3, 200: 5, 500: 1, 1000: 1}

# What a row has of several runs; otherwise the median.
AGGREGATES: dict[str, Callable[[list[float]], float]] = {"max ms": max, "lost": sum}

Runner = Callable[[str], AbstractContextManager[System]]


def measure(numbers: Sequence[int]) -> list[Table]:
    """Measure each number of replies on all systems, in turn."""
    tables = []
    for number in numbers:
        remote: dict[str, Runner] = {"nginx": run_nginx, "relay": run_relay}
        if number <= MAX_REPLIES_OF_PROCESS:
            remote["Twindow"] = run_twindow
        else:  # two workers do not share 1,000 replies equally
            remote["Twindow, 3 workers"] = partial(run_twindow, WORKERS="3")
        samples: dict[str, list[Row]] = {name: [] for name in remote}
        for _ in range(ROUNDS.get(number, 1)):
            for name, run in remote.items():
                samples[name].append(_run(run, number))
        tables.append(Table(f"{number} running replies", _rows(samples)))
    if 200 in numbers:
        tables.append(Table("200 running replies, other installations", _measure_variants()))
    return tables


def _measure_variants() -> list[Row]:
    with run_postgres() as postgres:
        variants: dict[str, Runner] = {
            "relay": run_relay,
            "embedded service": partial(run_twindow, is_embedded=True),
            "2 workers": partial(run_twindow, WORKERS="2"),
            "PostgreSQL": lambda url: run_twindow(url, DATABASE_URL=postgres.create_database()),
            "PostgreSQL, 2 workers": lambda url: run_twindow(
                url, DATABASE_URL=postgres.create_database(), WORKERS="2"
            ),
        }
        return _rows({name: [_run(run, 200)] for name, run in variants.items()})


def _rows(samples: dict[str, list[Row]]) -> list[Row]:
    rows: dict[str, Row] = {
        name: {
            column: AGGREGATES.get(column, median)([run[column] for run in runs])
            for column in runs[0]
        }
        for name, runs in samples.items()
    }
    relay = rows["relay"]
    return [
        {
            "system": name,
            "cpu/relay": ratio(row["us/delta"], relay["us/delta"]),
            "memory/relay": ratio(row["KB/reply"], relay["KB/reply"]),
            **row,
        }
        for name, row in rows.items()
    ]


def measure_stages() -> list[Table]:
    """Measure the share of each stage in the CPU time of 50 and of 200 replies, in percent."""
    shares = {number: _profile(number) for number in (50, 200)}
    rows: list[Row] = [
        {"stage": stage} | {f"{number} replies": shares[number].get(stage, 0) for number in shares}
        for stage in (*STAGES, EVENT_LOOP)
    ]
    return [Table("CPU time of running replies by stage, in percent", rows)]


def _profile(number: int) -> dict[str, int]:
    runner = partial(run_twindow, program=("-m", "tools.bench.sampled_app"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "samples.json")
        os.environ["SAMPLES_FILE"] = str(file)
        with _run_replies(runner, number) as replies:
            [worker] = replies.system.pids()
            _sleep_until(replies.began_at + WINDOW[0])
            os.kill(worker, signal.SIGUSR1)
            _sleep_until(replies.began_at + WINDOW[1])
            os.kill(worker, signal.SIGUSR2)
            assert poll_until(file.exists, 10)
        samples: dict[str, int] = json.loads(file.read_text())
    return {stage: round(100 * count / sum(samples.values())) for stage, count in samples.items()}


@dataclass(frozen=True)
class RunningReplies:
    """Replies that began at once, at `began_at` (monotonic clock), when `idle_kb` was used.

    `read_result` waits for the end of all streams, and returns what the readers have measured.
    """

    system: System
    idle_kb: int
    began_at: float
    read_result: Callable[[], str]


@contextmanager
def _run_replies(runner: Runner, number: int) -> Iterator[RunningReplies]:
    with _run_service() as service_url, runner(service_url) as system:
        idle_kb = system.memory_kb()
        with ThreadPoolExecutor(8) as pool:
            streams = list(pool.map(system.open_stream, range(number)))
        with _run_readers(system.url, streams) as read_result:
            _wait_until_idle(system)
            requests.get(f"{service_url}/go", timeout=60)
            yield RunningReplies(system, idle_kb, time.monotonic(), read_result)


def _run(runner: Runner, number: int) -> Row:
    with _run_replies(runner, number) as replies, requests.Session() as session:
        session.trust_env = False
        system, began_at = replies.system, replies.began_at
        _sleep_until(began_at + WINDOW[0])
        before = system.cpu_seconds()
        _sleep_until(began_at + WINDOW[1])
        used_seconds = system.cpu_seconds() - before
        memory_kb = system.memory_kb()
        latency = measure_latency(
            session,
            [system.url + system.page_path],
            lambda: time.monotonic() > began_at + END_OF_PAGES,
            PAGE_INTERVAL_SECONDS,
        )
        result = json.loads(replies.read_result())
    microseconds = [round((began_at + second) * 1e6) for second in WINDOW]
    delays = [
        delay / 1000
        for sent_at, delay in result["arrivals"]
        if microseconds[0] <= sent_at < microseconds[1]
    ]
    return {
        "us/delta": used_seconds * 1e6 / len(delays),
        "p50 ms": median(delays),
        "p99 ms": quantiles(delays, n=100)[98],
        "max ms": max(delays),
        "lost": number * DELTAS - sum(result["counts"]),
        "KB/reply": (memory_kb - replies.idle_kb) / number,
        "pages p50 ms": median(latency.milliseconds),
        "pages p95 ms": latency.percentile(95),
        "start s": system.start_seconds,
    }


@contextmanager
def _run_service() -> Iterator[str]:
    with _run_module("tools.bench.load.service", str(DELTAS)) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"


@contextmanager
def _run_readers(url: str, requests_: Sequence[str]) -> Iterator[Callable[[], str]]:
    """Open the streams; yield a function that waits for their end and returns the result."""
    job = {"url": url, "requests": requests_, "deltas": DELTAS}
    with _run_module("tools.bench.load.readers") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == "opened"
        yield process.stdout.readline


@contextmanager
def _run_module(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _wait_until_idle(system: System) -> None:
    """Wait for work of the start, such as the compression of assets; at most ten seconds."""
    for _ in range(20):
        before = system.cpu_seconds()
        time.sleep(0.5)
        if system.cpu_seconds() - before < IDLE_CPU_SECONDS:
            return


def _sleep_until(at: float) -> None:
    time.sleep(max(0.0, at - time.monotonic()))
