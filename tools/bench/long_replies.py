"""The cost of long replies: CPU time of rendering, and the delay of other people's pages."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import requests

from tests.support.person import Person
from tests.support.processes import ServerProcess, run_portal
from tools.bench.table import Row, Table, ratio
from tools.bench.texts import CONSTRUCTS, make_long_text
from tools.probes import measure_latency, proc_status
from tools.scripted_service import make_message, run_scripted_service
from twindow.rendering import render

READERS = 3
# Constructs for which page loads are measured, even if other constructs are more expensive.
ALWAYS_READ = ("code fences", "table rows", "processing instructions", "footnotes")
MOST_EXPENSIVE = 4
GAP_SECONDS = 0.005
PAGE_LOADS = 3
PROBE_SECONDS = 0.01
TIMEOUT_SECONDS = 60


def measure() -> list[Table]:
    """Measure the rendering of each construct, then page loads while other people receive replies.

    Each reply contains one of the most expensive constructs, or one of `ALWAYS_READ`.
    """
    rendering_rows = _measure_rendering()
    expensive = [str(row["construct"]) for row in rendering_rows[:MOST_EXPENSIVE]]
    with (
        tempfile.TemporaryDirectory() as data,
        run_scripted_service() as service,
        run_portal(Path(data), service.url) as portal,
    ):
        person = Person(portal.url)
        path = _receive_reply(person, make_message(1, "hello"))

        def observe(name: str, work: Callable[[], object]) -> Row:
            return {"readers of": name} | _observe(portal, person, path, work)

        rows = [observe("nobody", lambda: time.sleep(3))]
        for construct in dict.fromkeys((*ALWAYS_READ, *expensive)):
            rows.append(observe(construct, partial(_receive_replies, portal.url, construct)))
            rows[-1]["p99/alone"] = ratio(rows[-1]["page p99 ms"], rows[0]["page p99 ms"])
        time.sleep(30)
        rows.append({"readers of": "nobody, 30 s later", "memory MB": _memory_mb(portal)})
    return [
        Table("Rendering of a reply of 450 KB", rendering_rows),
        Table(f"Pages of another person while {READERS} people receive such a reply", rows),
    ]


def _measure_rendering() -> list[Row]:
    rows: list[Row] = []
    for construct in CONSTRUCTS:
        text = make_long_text(construct)
        started_at = time.process_time()
        html = render(text, "scope")
        rows.append(
            {
                "construct": construct,
                "CPU ms": (time.process_time() - started_at) * 1000,
                "HTML/text": ratio(len(html), len(text)),
                "plain text": str(html.startswith("<pre>")),
            }
        )
    reference = next(row["CPU ms"] for row in rows if row["construct"] == "words")
    for row in rows:
        row["times words"] = ratio(row["CPU ms"], reference)
    return sorted(rows, key=lambda row: -row["CPU ms"])


def _receive_replies(url: str, construct: str) -> None:
    """Receive a reply in several browsers at once, and load its page afterwards."""
    message = make_message(0, "long", gap=GAP_SECONDS, text=construct.replace(" ", "_"))

    def receive(_: int) -> None:
        person = Person(url, TIMEOUT_SECONDS)
        path = _receive_reply(person, message)
        for _ in range(PAGE_LOADS):
            assert person.get(path).status == 200

    with ThreadPoolExecutor(READERS) as pool:
        list(pool.map(receive, range(READERS)))


def _receive_reply(person: Person, message: str) -> str:
    """Start a conversation, read its reply, and return its path."""
    page = person.start_conversation(message)
    with person.follow(str(page.turns[-1]["data-turn"])) as stream:
        stream.skip_to_end()
    return page.path


def _observe(portal: ServerProcess, person: Person, path: str, work: Callable[[], object]) -> Row:
    """Measure page loads, and how long the event loop is blocked, while others do `work`."""
    done = threading.Event()
    with ThreadPoolExecutor(2) as pool, requests.Session() as session:
        page, probe = (
            pool.submit(measure_latency, client, [portal.url + url], done.is_set, PROBE_SECONDS)
            for client, url in ((person.session, path), (session, "/livez"))
        )
        try:
            work()
        finally:
            done.set()
        pages, blocks = page.result(), probe.result()
    assert not pages.failed_count + blocks.failed_count
    return {
        "page p50 ms": pages.percentile(50),
        "page p99 ms": pages.percentile(99),
        "pages": len(pages.milliseconds),
        "longest block ms": max(blocks.milliseconds),
        "memory MB": _memory_mb(portal),
    }


def _memory_mb(portal: ServerProcess) -> float:
    [worker] = portal.worker_pids
    return proc_status(worker, "VmRSS") / 1024
