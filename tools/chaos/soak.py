"""Hours of ordinary use, faults included: does anything grow, and does anything break?"""

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

from tests.support.processes import free_port
from tools.chaos.measures import cpu_seconds, memory, open_files, running_replies, status
from tools.chaos.processes import Portal, scripted_service, serving
from tools.chaos.report import Promises, Report, at_most, below
from tools.chaos.visitor import Visitor

PEOPLE = 6
SAMPLE_SECONDS = 30.0
WARM_SECONDS = 600.0
QUIET_SECONDS = 40.0

PROMISES: Promises = {
    "unexpected": at_most(0),
    "errors": at_most(0),
    "left_running": at_most(0),
    "cpu_share": at_most(0.25),
    "growth_mb": below(30),
    "files_growth": at_most(2),
}


class Soak:
    """A portal, its visitors, and what was measured."""

    def __init__(self, portal: Portal, data: Path, out: Path | None) -> None:
        self.portal = portal
        self.data = data
        self.out = out
        self.begun = time.monotonic()
        self.samples: list[Report] = []
        self.answers: Counter[str] = Counter()
        self.stop = threading.Event()

    def sample(self) -> None:
        """Measure once, and write it down."""
        master, [worker] = self.portal.process.pid, self.portal.workers
        sample = {
            "seconds": round(time.monotonic() - self.begun, 1),
            "master_pss_kb": memory(master),
            "worker_pss_kb": memory(worker),
            "master_rss_kb": status(master, "VmRSS"),
            "worker_rss_kb": status(worker, "VmRSS"),
            "files": open_files(worker),
            "threads": status(worker, "Threads"),
            "cpu_seconds": cpu_seconds(master) + cpu_seconds(worker),
            "database_kb": sum(p.stat().st_size for p in self.data.glob("portal.db*")) // 1024,
            "answers": sum(self.answers.values()),
        }
        self.samples.append(sample)
        if self.out:
            with self.out.open("a") as file:
                file.write(json.dumps(sample) + "\n")

    def run(self, visitors: Sequence[Visitor], seconds: float) -> None:
        """Let the visitors in, and measure until time is up or somebody interrupts."""
        threads = [threading.Thread(target=v.stay, args=(self.stop,)) for v in visitors]
        for thread in threads:
            thread.start()
        try:
            while (left := self.begun + seconds - time.monotonic()) > 0:
                self.stop.wait(min(SAMPLE_SECONDS, left))
                self.sample()
        except KeyboardInterrupt:
            print("Interrupted; what was measured so far:")
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()
            self.sample()
        give_up = time.monotonic() + QUIET_SECONDS
        while running_replies(self.data) and time.monotonic() < give_up:
            time.sleep(0.5)
        time.sleep(2)


def soak(seconds: float = 120, out: Path | None = None, seed: int = 1) -> Report:
    """Use a portal for so long, and say how it has changed."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(scripted_service())
        portal = stack.enter_context(serving(data, free_port(), service))
        soak = Soak(portal, data, out)
        visitors = [
            Visitor(portal.url, random.Random(f"{seed}:{number}"), soak.answers)  # noqa: S311
            for number in range(PEOPLE)
        ]
        for visitor in visitors:
            stack.callback(visitor.person.close)
            visitor.person.get("/")
            visitor.person.session.close()
        soak.sample()
        soak.run(visitors, seconds)
        for visitor in visitors:
            visitor.person.close()
        time.sleep(1)
        soak.sample()
        errors = [error for visitor in visitors for error in visitor.errors]
        return _report(soak, errors) | {"output": "".join(portal.output)[-2000:]}


def _report(soak: Soak, errors: Sequence[str]) -> Report:
    first, *during, last = soak.samples
    warm = [s for s in during if s["seconds"] >= min(WARM_SECONDS, last["seconds"] / 3)] or during
    half = len(during) // 2 or 1
    hour = [s for s in during if s["seconds"] <= 3600] if last["seconds"] > 7000 else during[:half]
    unexpected = {name: count for name, count in soak.answers.items() if name[-3:] >= "500"}
    elapsed = last["seconds"] - first["seconds"]
    return {
        "seconds": last["seconds"],
        "answers": dict(_by_status(soak.answers)),
        "unexpected": sum(unexpected.values()),
        "unexpected_answers": unexpected,
        "errors": len(errors),
        "first_errors": list(errors[:5]),
        "left_running": running_replies(soak.data),
        "cpu_share": round((last["cpu_seconds"] - first["cpu_seconds"]) / elapsed, 3),
        "rss_first_part_mb": _median(hour),
        "rss_second_half_mb": _median(during[half:] or during),
        "rss_mb_per_hour": _slope(warm),
        "growth_mb": round((last["worker_rss_kb"] - warm[0]["worker_rss_kb"]) / 1024, 1),
        "files_start_end": [first["files"], last["files"]],
        "files_growth": last["files"] - first["files"],
        "threads_start_end": [first["threads"], last["threads"]],
        "database_mb": round(last["database_kb"] / 1024, 2),
    }


def _by_status(answers: Counter[str]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for name, count in answers.items():
        counted[name[-3:]] += count
    return counted


def _median(samples: Sequence[Report]) -> float:
    return round(statistics.median(s["worker_rss_kb"] for s in samples) / 1024, 1)


def _slope(samples: Sequence[Report]) -> float | None:
    if len(samples) < 3:
        return None
    hours = [s["seconds"] / 3600 for s in samples]
    fit = statistics.linear_regression(hours, [s["worker_rss_kb"] / 1024 for s in samples])
    return float(round(fit.slope, 2))
