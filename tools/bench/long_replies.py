"""The cost of long replies: CPU time of rendering, and the delay of other people's pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median, quantiles

import requests

from rendering import render
from tests.support.person import Person
from tools.bench import servers
from tools.bench.long_texts import CONSTRUCTS, make_long_text
from tools.bench.servers import ServerProcess
from tools.bench.table import Row, Table, ratio
from tools.chaos import probes

READERS = 3
# Constructs for which page loads are measured, even if other constructs are more expensive.
ALWAYS_READ = ("code fences", "table rows", "processing instructions", "footnotes")
MOST_EXPENSIVE = 4
DELTAS_PER_SECOND = 200
PAGE_LOADS = 3
PROBE_SECONDS = 0.005


def measure() -> list[Table]:
    """Measure the rendering of each construct, then page loads while other people receive replies.

    Each reply contains one of the most expensive constructs, or one of `ALWAYS_READ`.
    """
    rendering_rows = _measure_rendering()
    expensive = [str(row["construct"]) for row in rendering_rows[:MOST_EXPENSIVE]]
    with servers.run_scripted_service() as service, servers.run_portal(service) as portal:
        other = _Observer(portal)
        rows = [other.observe("nobody", lambda: time.sleep(3))]
        rows += [
            other.observe(construct, lambda c=construct: _receive(portal.url, c))
            for construct in dict.fromkeys((*ALWAYS_READ, *expensive))
        ]
        for row in rows[1:]:
            row["p99/alone"] = ratio(row["page p99 ms"], rows[0]["page p99 ms"])
        time.sleep(30)
        memory = probes.proc_status(portal.worker_pid, "VmRSS") / 1024
        rows.append({"readers of": "nobody, 30 s later", "memory MB": memory})
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


def _receive(url: str, construct: str) -> None:
    """Receive a reply in several browsers at once, and load its page afterwards."""
    with ThreadPoolExecutor(READERS) as pool:
        for result in [pool.submit(_receive_once, url, construct) for _ in range(READERS)]:
            result.result()


def _receive_once(url: str, construct: str) -> None:
    person = Person(url)
    words = f"construct={construct.replace(' ', '_')} rate={DELTAS_PER_SECOND}"
    page = person.start_conversation(words)
    events = f"{url}/turns/{page.turns[-1]['data-turn']}/events"
    with person.session.get(events, stream=True, timeout=600) as stream:
        for _ in iter(lambda: stream.raw.read1(65536), b""):
            pass
    for _ in range(PAGE_LOADS):
        person.session.get(url + page.path, timeout=60).raise_for_status()
    person.close()


class _Observer:
    """Measures page loads of another person, and how long the event loop is blocked."""

    def __init__(self, portal: ServerProcess) -> None:
        self._portal = portal
        self._person = Person(portal.url)
        page = self._person.start_conversation("Hello")
        with self._person.follow(str(page.turns[-1]["data-turn"])) as stream:
            stream.response.content  # noqa: B018
        self._page_url = portal.url + page.path

    def observe(self, name: str, work: Callable[[], None]) -> Row:
        """Measure page loads while other people do `work`."""
        done = threading.Event()
        with ThreadPoolExecutor(2) as pool, ExitStack() as stack:
            stack.callback(done.set)
            pages = pool.submit(self._time_requests, self._page_url, self._person.session, done)
            probe = pool.submit(
                self._time_requests, f"{self._portal.url}/livez", requests.Session(), done
            )
            work()
            done.set()
            page_ms, probe_ms = pages.result(), probe.result()
        return {
            "readers of": name,
            "page p50 ms": median(page_ms),
            "page p99 ms": quantiles(page_ms, n=100)[98],
            "pages": len(page_ms),
            "longest block ms": max(probe_ms),
            "memory MB": probes.proc_status(self._portal.worker_pid, "VmRSS") / 1024,
        }

    def _time_requests(
        self, url: str, session: requests.Session, done: threading.Event
    ) -> list[float]:
        milliseconds = []
        while not done.wait(PROBE_SECONDS):
            started_at = time.monotonic()
            session.get(url, timeout=60).raise_for_status()
            milliseconds.append((time.monotonic() - started_at) * 1000)
        return milliseconds
