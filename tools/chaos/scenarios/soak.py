"""Soak test: random use of a portal with faults, to measure errors and growing resources."""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import linear_regression

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
    "cpu_growth": below(1.5),
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
            "answers": self.status_counts.total(),
        }
        self.samples.append(sample)
        if self.samples_file:
            with self.samples_file.open("a") as file:
                file.write(json.dumps(sample) + "\n")

    def run(self, visitors: Sequence[Visitor], seconds: float) -> None:
        """Run the visitors and take samples until the time is up or Ctrl+C is pressed."""
        self.take_sample()
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
        for visitor in visitors:
            visitor.person.close()
        time.sleep(3)  # the portal notices within this time that the visitors are gone
        self.take_sample()

    def report(self, errors: Sequence[str]) -> Report:
        """Return what the visitors have met, and how the resources have changed."""
        first, last = self.samples[0], self.samples[-1]
        warm_up_seconds = min(WARM_UP_SECONDS, last["seconds"] / 3)
        warm = [sample for sample in self.samples[1:] if sample["seconds"] >= warm_up_seconds]
        growth_mb = [(each["worker_rss_kb"] - warm[0]["worker_rss_kb"]) / 1024 for each in warm]
        hours = [each["seconds"] / 3600 for each in warm]
        counts = self.status_counts
        unexpected = {name: count for name, count in counts.items() if name[-3:] >= "500"}
        by_status: Counter[str] = Counter()
        for name, count in counts.items():
            by_status[name[-3:]] += count
        cpu = last["cpu_seconds"] - first["cpu_seconds"]
        middle = self.samples[len(self.samples) // 2]

        def cpu_per_answer(start: Report, end: Report) -> float:
            seconds: float = end["cpu_seconds"] - start["cpu_seconds"]
            return seconds / (end["answers"] - start["answers"])

        return {
            "seconds": last["seconds"],
            "answers": dict(by_status),
            "unexpected": sum(unexpected.values()),
            "unexpected_answers": unexpected,
            "errors": len(errors),
            "first_errors": errors[:5],
            "left_running": count_running_replies(self.data),
            "cpu_share": round(cpu / (last["seconds"] - first["seconds"]), 3),
            "cpu_growth": round(cpu_per_answer(middle, last) / cpu_per_answer(first, middle), 2),
            "growth_mb": round(growth_mb[-1], 1),
            "growth_mb_per_hour": round(linear_regression(hours, growth_mb).slope, 2),
            "files_start_end": [first["files"], last["files"]],
            "files_growth": last["files"] - first["files"],
            "threads_start_end": [first["threads"], last["threads"]],
            "database_mb": round(last["database_kb"] / 1024, 2),
        }


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
            visitor.person.get("/")
            visitor.person.close()
        soak_test.run(visitors, seconds)
        report = soak_test.report([error for visitor in visitors for error in visitor.errors])
        return report | {"output": "".join(portal.output)[-2000:]}
