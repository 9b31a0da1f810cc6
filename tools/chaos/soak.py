"""Soak test: random use of a portal with faults, to measure errors and growing resources."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.support.processes import ServerProcess, run_portal
from tests.support.waiting import poll_until
from tools.chaos.report import Expectations, Report, at_most, below
from tools.chaos.visitor import Visitor
from tools.probes import (
    count_open_files,
    count_running_replies,
    cpu_seconds,
    proc_status,
    pss_kb,
)
from tools.scripted_service import run_scripted_service

VISITOR_COUNT = 6
SAMPLE_SECONDS = 30.0
WARM_UP_SECONDS = 600.0
END_TIMEOUT_SECONDS = 40.0

EXPECTATIONS: Expectations = {
    "unexpected": at_most(0),
    "errors": at_most(0),
    "left_running": at_most(0),
    "cpu_share": at_most(0.25),
    "growth_mb": below(30),
    "files_growth": at_most(2),
}


class SoakTest:
    """A soak test of one portal, and its samples."""

    def __init__(self, portal: ServerProcess, data: Path, samples_file: Path | None) -> None:
        self.portal = portal
        self.data = data
        self.samples_file = samples_file
        self.started_at = time.monotonic()
        self.samples: list[Report] = []
        self.status_counts: Counter[str] = Counter()
        self.stop_event = threading.Event()

    def take_sample(self) -> None:
        """Take a sample and append it to the samples file."""
        master, [worker] = self.portal.process.pid, self.portal.worker_pids
        sample = {
            "seconds": round(time.monotonic() - self.started_at, 1),
            "master_pss_kb": pss_kb(master),
            "worker_pss_kb": pss_kb(worker),
            "master_rss_kb": proc_status(master, "VmRSS"),
            "worker_rss_kb": proc_status(worker, "VmRSS"),
            "files": count_open_files(worker),
            "threads": proc_status(worker, "Threads"),
            "cpu_seconds": cpu_seconds(master) + cpu_seconds(worker),
            "database_kb": sum(p.stat().st_size for p in self.data.glob("portal.db*")) // 1024,
            "answers": sum(self.status_counts.values()),
        }
        self.samples.append(sample)
        if self.samples_file:
            with self.samples_file.open("a") as file:
                file.write(json.dumps(sample) + "\n")

    def run(self, visitors: Sequence[Visitor], seconds: float) -> None:
        """Run the visitors and take samples until the time is up or Ctrl+C is pressed."""
        threads = [threading.Thread(target=v.run, args=(self.stop_event,)) for v in visitors]
        for thread in threads:
            thread.start()
        try:
            while (remaining := self.started_at + seconds - time.monotonic()) > 0:
                self.stop_event.wait(min(SAMPLE_SECONDS, remaining))
                self.take_sample()
        except KeyboardInterrupt:
            print("Interrupted; what was measured so far:")
        finally:
            self.stop_event.set()
            for thread in threads:
                thread.join()
            self.take_sample()
        poll_until(lambda: not count_running_replies(self.data), END_TIMEOUT_SECONDS, 0.5)
        time.sleep(2)


def run(seconds: float = 120, samples_file: Path | None = None, seed: int = 1) -> Report:
    """Use a portal for `seconds`; return how its resources have changed."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        portal = stack.enter_context(run_portal(data, service.url))
        soak_test = SoakTest(portal, data, samples_file)
        visitors = [
            Visitor(portal.url, random.Random(f"{seed}:{number}"), soak_test.status_counts)  # noqa: S311
            for number in range(VISITOR_COUNT)
        ]
        for visitor in visitors:
            stack.callback(visitor.person.close)
            visitor.person.get("/")
            visitor.person.session.close()
        soak_test.take_sample()
        soak_test.run(visitors, seconds)
        for visitor in visitors:
            visitor.person.close()
        time.sleep(1)
        soak_test.take_sample()
        errors = [error for visitor in visitors for error in visitor.errors]
        return _report(soak_test, errors) | {"output": "".join(portal.output)[-2000:]}


def _report(soak_test: SoakTest, errors: Sequence[str]) -> Report:
    first, *middle, last = soak_test.samples
    warm_samples = [
        s for s in middle if s["seconds"] >= min(WARM_UP_SECONDS, last["seconds"] / 3)
    ] or middle
    half = len(middle) // 2 or 1
    first_hour = (
        [s for s in middle if s["seconds"] <= 3600] if last["seconds"] > 7000 else middle[:half]
    )
    unexpected = {
        name: count for name, count in soak_test.status_counts.items() if name[-3:] >= "500"
    }
    elapsed = last["seconds"] - first["seconds"]
    return {
        "seconds": last["seconds"],
        "answers": dict(_count_by_status(soak_test.status_counts)),
        "unexpected": sum(unexpected.values()),
        "unexpected_answers": unexpected,
        "errors": len(errors),
        "first_errors": list(errors[:5]),
        "left_running": count_running_replies(soak_test.data),
        "cpu_share": round((last["cpu_seconds"] - first["cpu_seconds"]) / elapsed, 3),
        "rss_first_part_mb": _median_rss_mb(first_hour),
        "rss_second_half_mb": _median_rss_mb(middle[half:] or middle),
        "rss_mb_per_hour": _rss_mb_per_hour(warm_samples),
        "growth_mb": round((last["worker_rss_kb"] - warm_samples[0]["worker_rss_kb"]) / 1024, 1),
        "files_start_end": [first["files"], last["files"]],
        "files_growth": last["files"] - first["files"],
        "threads_start_end": [first["threads"], last["threads"]],
        "database_mb": round(last["database_kb"] / 1024, 2),
    }


def _count_by_status(status_counts: Counter[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, count in status_counts.items():
        counts[name[-3:]] += count
    return counts


def _median_rss_mb(samples: Sequence[Report]) -> float:
    return round(statistics.median(s["worker_rss_kb"] for s in samples) / 1024, 1)


def _rss_mb_per_hour(samples: Sequence[Report]) -> float | None:
    if len(samples) < 3:
        return None
    hours = [s["seconds"] / 3600 for s in samples]
    fit = statistics.linear_regression(hours, [s["worker_rss_kb"] / 1024 for s in samples])
    return float(round(fit.slope, 2))
