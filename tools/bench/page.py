"""Twindow in a real browser, on its real server, with a scripted service."""

from __future__ import annotations

import random
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import requests
from playwright.sync_api import Browser

from tests.support.person import HTMX_HEADERS, Page, Person
from tests.support.processes import ServerProcess, run_portal, run_server
from tools.bench.browser import PageMeter, launch_chromium, measure_visit, open_browser_context
from tools.bench.table import Row, Table, ratio
from tools.bench.texts import make_deltas, reply_end
from tools.probes import cpu_seconds
from tools.scripted_service import ScriptedService, make_message, run_scripted_service
from twindow.core.db.database import Database

DELTAS_PER_SECOND = 200
# Times vary by a frame (16 ms), so with fewer rounds the medians would differ by chance.
ROUNDS = 21
TURN_COUNTS = (20, 1_000)
TURN_DELTAS = 20
TRANSACTIONS = 500
COMPOSER = "#message"
REPLY = ".turn[data-state=complete] .turn__reply"


@dataclass(frozen=True)
class PageBenchmark:
    """The measured servers and the browser."""

    service: ScriptedService
    portal: ServerProcess
    baseline: ServerProcess
    browser: Browser

    def measure_first_pages(self) -> list[Row]:
        """Open each first page in a new browser, then again in it; return the medians.

        Each round visits the sites in random order, so that the load of the machine and the end of
        the previous page affect all sites.
        """
        sites = {
            "twindow": (f"{self.portal.url}/twins/ada", COMPOSER),
            "bare htmx": (f"{self.baseline.url}/", "textarea"),
            "least htmx": (f"{self.baseline.url}/least", "textarea"),
        }
        visits: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for _ in range(ROUNDS):
            for site, (url, composer) in random.sample(list(sites.items()), len(sites)):
                with open_browser_context(self.browser, composer) as context:
                    for kind in ("cold", "warm"):
                        visits[site, kind].append(measure_visit(context, url, "composer ms"))
        rows = {
            (site, kind): {"site": site, "visit": kind, **_medians(visits[site, kind])}
            for site in sites
            for kind in ("cold", "warm")
        }
        for (_, kind), row in rows.items():
            for name in ("bare", "least"):
                reference = rows[f"{name} htmx", kind]["first paint ms"]
                row[f"paint/{name}"] = ratio(row["first paint ms"], reference)
        return list(rows.values())

    def measure_conversations(self) -> list[Row]:
        """Open a short and a long conversation, each in a new browser."""
        rows = []
        for turns in TURN_COUNTS:
            person, path = self._create_conversation(turns)
            cookies = [
                {"name": cookie.name, "value": cookie.value, "url": self.portal.url}
                for cookie in person.session.cookies
            ]
            with open_browser_context(self.browser, REPLY, reply_end(f"t{turns}")) as context:
                context.add_cookies(cookies)  # type: ignore[arg-type]
                row = measure_visit(context, self.portal.url + path, "last message ms")
            rows.append({"turns": turns} | row)
        return _with_growth(rows, "last message ms")

    def _create_conversation(self, turns: int) -> tuple[Person, str]:
        """Create a conversation through the portal's own forms; return its person and path."""
        person = Person(self.portal.url)
        messages = [
            make_message(TURN_DELTAS, f"t{number}", text="mixed") for number in range(1, turns + 1)
        ]
        page = fragment = person.start_conversation(messages[0])
        fields = page.hidden_fields("/turns")
        _skip_reply(person, page)
        for message in messages[1:]:
            # A fragment is faster to render and to parse than a page. Each message has a new
            # idempotency key, as on a page.
            fields |= {"content": message, "idempotency_key": uuid.uuid4().hex}
            fragment = person.post(f"{page.path}/turns", fields, **HTMX_HEADERS)
            _skip_reply(person, fragment)
        return person, page.path

    def measure_reply(self, text: str, count: int) -> Row:
        """Send a message, and measure its reply in a page that shows it as it is written."""
        deltas = make_deltas(text, count, "reply")
        [worker] = self.portal.worker_pids
        with open_browser_context(self.browser) as context:
            page = context.new_page()
            page.goto(f"{self.portal.url}/twins/ada")

            def receive(message: str, tag: str, ideal_ms: float) -> float:
                """Return when the reply is complete on the page (Unix time)."""
                page.locator(COMPOSER).fill(message)
                page.locator(COMPOSER).press("Enter")
                page.locator(".turn__reply").first.wait_for()
                milliseconds: float = page.evaluate(
                    "async (wanted) => await bench.shown(...wanted) + performance.timeOrigin",
                    [REPLY, reply_end(tag), ideal_ms],
                )
                return milliseconds / 1000

            # The first reply opens another page and loads files.
            receive(_paced_message("mixed", TURN_DELTAS, "warm-up"), "warm-up", 0)
            message = _paced_message(text, count, "reply")
            ideal_seconds = len(deltas) / DELTAS_PER_SECOND
            meter, cpu_before, sent_at = PageMeter(page), cpu_seconds(worker), time.time()
            ended_at = receive(message, "reply", ideal_seconds * 1000)
            cpu, costs = cpu_seconds(worker) - cpu_before, meter.costs()
        last_sent_at = self.service.received_messages(message)[message].sent_times[-1]
        return {
            "text": text,
            "deltas": len(deltas),
            "ideal s": ideal_seconds,
            "took s": ended_at - sent_at,
            "after the last s": ended_at - last_sent_at,
            "server us/delta": round(cpu / len(deltas) * 1e6),
            **costs,
            "wire/text": ratio(costs["wire KB"] * 1000, len("".join(deltas))),
        }

    def measure_server(self, deltas: int) -> Row:
        """Read a reply through the portal and through the baseline at the same time."""
        message = _paced_message("mixed", deltas, "relay")
        person = Person(self.portal.url)
        relay = f"{self.baseline.url}/relay"
        with ThreadPoolExecutor(2) as pool:
            results = [
                pool.submit(_measure_cpu, self.portal, lambda: _read_via_portal(person, message)),
                pool.submit(_measure_cpu, self.baseline, lambda: _read_via_relay(relay, message)),
            ]
            (seconds, size), (relay_seconds, relay_size) = (each.result() for each in results)
        text_length = len("".join(make_deltas("mixed", deltas, "relay")))
        return {
            "text": "mixed",
            "deltas": deltas,
            "portal us/delta": seconds / deltas * 1e6,
            "pass-through us/delta": relay_seconds / deltas * 1e6,
            "times": ratio(seconds, relay_seconds),
            "portal bytes/text": ratio(size, text_length),
            "pass-through bytes/text": ratio(relay_size, text_length),
        }


def measure(deltas: int) -> list[Table]:
    """Measure visits, replies, the CPU time of the server, and a transaction."""
    with (
        tempfile.TemporaryDirectory() as data,
        run_scripted_service() as service,
        run_portal(Path(data), service.url) as portal,
        run_server(Path(data), "-m", "tools.bench.baseline_app", API_URL=service.url) as baseline,
        launch_chromium() as browser,
    ):
        baseline.wait_until_ready()
        bench = PageBenchmark(service, portal, baseline, browser)
        lengths = (deltas // 2, deltas)
        first_pages, conversations = bench.measure_first_pages(), bench.measure_conversations()
        replies = _with_growth([bench.measure_reply("mixed", n) for n in lengths], "main s")
        replies += [bench.measure_reply("list", 0), bench.measure_reply("code", 0)]
        server = [bench.measure_server(number) for number in lengths]
        server[1]["us/delta against half"] = ratio(*(r["portal us/delta"] for r in server[::-1]))
        return [
            Table("The first chat page", first_pages),
            Table("A conversation, opened by a new browser", conversations),
            Table(f"A reply, {DELTAS_PER_SECOND} deltas of 16 bytes a second", replies),
            Table("The server, computing", server),
            Table("A transaction on SQLite", [measure_transactions()]),
        ]


def measure_transactions() -> Row:
    """Insert one row per transaction, alternately ordinary and durable; return the median times."""
    microseconds: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/bench.db")
        with database.write() as connection:
            connection.exec_driver_sql("CREATE TABLE things (content TEXT)")
        for number in range(2 * TRANSACTIONS):
            is_durable = bool(number % 2)
            started_at = time.perf_counter()
            with database.write(durable=is_durable) as connection:
                connection.exec_driver_sql("INSERT INTO things VALUES (?)", ("x" * 500,))
            microseconds[is_durable].append((time.perf_counter() - started_at) * 1e6)
        database.close()
    ordinary, durable = (median(microseconds[is_durable]) for is_durable in (False, True))
    times = ratio(durable, ordinary)
    return {"rows": TRANSACTIONS, "ordinary us": ordinary, "durable us": durable, "times": times}


def _paced_message(text: str, deltas: int, tag: str) -> str:
    return make_message(deltas, tag, gap=1 / DELTAS_PER_SECOND, text=text)


def _skip_reply(person: Person, page: Page) -> int:
    with person.follow(str(page.turns[-1]["data-turn"])) as stream:
        return stream.skip_to_end()


def _read_via_portal(person: Person, message: str) -> int:
    return _skip_reply(person, person.start_conversation(message))


def _read_via_relay(url: str, message: str) -> int:
    with requests.get(url, params={"content": message}, stream=True, timeout=60) as response:
        return sum(map(len, iter(lambda: response.raw.read1(65536), b"")))


def _measure_cpu(server: ServerProcess, read: Callable[[], int]) -> tuple[float, int]:
    """Return the CPU time of the server while a reply is read, and the number of bytes."""
    [worker] = server.worker_pids
    cpu_before = cpu_seconds(worker)
    byte_count = read()
    return cpu_seconds(worker) - cpu_before, byte_count


def _medians(rows: list[Row]) -> Row:
    return {name: _median([row[name] for row in rows]) for name in rows[0]}


def _median(values: list[Any]) -> Any:
    return round(median(values)) if isinstance(values[0], int) else median(values)


def _with_growth(rows: list[Row], column: str) -> list[Row]:
    """Set `growth` in the last row: its value of `column` divided by the first row's value."""
    rows[-1]["growth"] = ratio(rows[-1][column], rows[0][column])
    return rows
