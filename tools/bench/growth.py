"""How costs grow: pages of large portals, long replies, and an idle process.

An exponent of 0 means that the cost does not depend on the size, and 1 that it is proportional.
"""

from __future__ import annotations

import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import median

from sqlalchemy import insert

from accounts.schema import identities, people
from chat.schema import conversations
from core.db.database import Database
from core.text_folding import join_terms
from rendering.stream import IncrementalRenderer
from tests.support.history import get_only_person, insert_conversation
from tests.support.person import Person
from tests.support.processes import run_portal, run_server
from tests.support.upstream import TWINS
from tests.support.upstream_server import run_upstream
from tools.bench.table import Row, Table, ratio
from tools.bench.texts import make_deltas
from tools.probes import cpu_seconds, pss_kb

FACTOR = 10
ROUNDS = 30
# The person who opens the pages has one in this number of conversations.
CONVERSATIONS_PER_OWN = 100
PROXY = {
    "SIGN_IN": "proxy",
    "PROXY_USER_HEADER": "X-Remote-User",
    "PROXY_NETWORKS": "127.0.0.1",
}
SETTLE_SECONDS = 5.0
IDLE_SECONDS = 20.0


def measure() -> list[Table]:
    """Measure pages, replies and idle processes."""
    rows = []
    for name, size, add in (
        ("turns", 1_000, _add_turns),
        ("conversations", 100_000, _add_conversations),
        ("people", 10_000, _add_people),
    ):
        with _open_portal() as site:
            small = _page_times(site, add(site, size // FACTOR))
            large = _page_times(site, add(site, size - size // FACTOR))
            rows += _make_rows(name, size, small, large)
    twin_times = []
    for count in (1_000 // FACTOR, 1_000):
        with _open_portal(count) as site:
            twin_times.append(_page_times(site, ["/", "/twins/ada"]))
    rows += _make_rows("twins", 1_000, *twin_times)
    return [
        Table("Pages of large portals", rows),
        Table("Long replies", [_measure_reply(10_000)]),
        Table("An idle process", _measure_idle()),
    ]


@dataclass(frozen=True)
class Site:
    """A portal, and the only person who uses it so far, with one conversation."""

    database: Database
    anna: Person
    conversation_path: str
    person: str


@contextmanager
def _open_portal(twin_count: int = 1) -> Iterator[Site]:
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        upstream = stack.enter_context(run_upstream())
        more = [{"id": f"t{number}", "name": f"Twin {number}"} for number in range(1, twin_count)]
        upstream.twins = [TWINS[0], *more]
        portal = stack.enter_context(run_portal(data, upstream.url, **PROXY))
        anna = Person(portal.url)
        stack.callback(anna.close)
        anna.session.headers["X-Remote-User"] = "anna"
        page = anna.start_conversation("Hello")
        upstream.reply("Hello, I am Ada.")
        database = Database(f"sqlite:///{data / 'portal.db'}")
        yield Site(database, anna, page.path, get_only_person(database))


def _add_turns(site: Site, count: int) -> list[str]:
    path = f"/conversations/{insert_conversation(site.database, site.person, count)}"
    return [path, f"{path}/export?format=md"]


def _add_conversations(site: Site, count: int) -> list[str]:
    now = time.time()
    rows = [
        {
            "id": secrets.token_urlsafe(16),
            "person": f"p{number}" if number % CONVERSATIONS_PER_OWN else site.person,
            "twin_id": "ada",
            "twin_name": "Ada",
            "title": f"A talk about subject {number}",
            "title_terms": join_terms(f"A talk about subject {number}"),
            "created_at": now - number,
            "updated_at": now - number,
        }
        for number in range(count)
    ]
    with site.database.write() as connection:
        connection.execute(insert(conversations), rows)
    return ["/", "/conversations", "/search?q=subject", site.conversation_path]


def _add_people(site: Site, count: int) -> list[str]:
    ids = [secrets.token_urlsafe(16) for _ in range(count)]
    with site.database.write() as connection:
        connection.execute(
            insert(people), [{"id": id_, "name": id_, "created_at": 0.0} for id_ in ids]
        )
        connection.execute(
            insert(identities),
            [{"issuer": "proxy", "subject": id_, "person_id": id_} for id_ in ids],
        )
    return ["/", site.conversation_path]


def _page_times(site: Site, paths: list[str]) -> dict[str, float]:
    """Return the median response times in milliseconds."""
    return {path: _page_ms(site.anna, path) for path in paths}


def _page_ms(person: Person, path: str) -> float:
    times = []
    for _ in range(ROUNDS):
        started_at = time.perf_counter()
        response = person.session.get(person.base_url + path, timeout=60)
        times.append((time.perf_counter() - started_at) * 1e3)
        assert response.ok, (path, response)
    return median(times)


def _make_rows(name: str, size: int, small: dict[str, float], large: dict[str, float]) -> list[Row]:
    return [
        {
            "growing": name,
            "page": re.sub("/[^/]{22}", "/<id>", path),
            "size": size,
            f"ms at 1/{FACTOR}": small_ms,
            "ms": large_ms,
            "exponent": log(large_ms / small_ms, FACTOR),
        }
        for (path, small_ms), large_ms in zip(small.items(), large.values(), strict=True)
    ]


def _measure_reply(count: int) -> Row:
    """Render a reply of mixed Markdown, delta by delta."""
    small, large = (_render_seconds(number) for number in (count // FACTOR, count))
    return {
        "deltas": count,
        f"us/delta at 1/{FACTOR}": small / (count // FACTOR) * 1e6,
        "us/delta": large / count * 1e6,
        "exponent": log(large / small, FACTOR),
    }


def _render_seconds(count: int) -> float:
    renderer = IncrementalRenderer("scope")
    started_at = time.process_time()
    for delta in make_deltas("mixed", count, "1"):
        renderer.append(delta)
        renderer.next_patches()
    return time.process_time() - started_at


def _measure_idle() -> list[Row]:
    """Compare the portal, without visitors, with a minimal Flask app on the same server."""
    rows = []
    for name, command in (
        ("Twindow", ("app.py",)),
        ("Flask app", ("-m", "tools.bench.baseline_app")),
    ):
        with (
            tempfile.TemporaryDirectory() as data,
            run_upstream() as upstream,
            run_server(Path(data), *command, API_URL=upstream.url, API_KEY="any") as server,
        ):
            server.wait_until_ready()
            pids = [server.process.pid, *server.worker_pids]
            start_cpu = sum(map(cpu_seconds, pids))
            time.sleep(SETTLE_SECONDS)
            before = sum(map(_wake_ups, pids))
            time.sleep(IDLE_SECONDS)
            rows.append(
                {
                    "process": name,
                    "start CPU s": start_cpu,
                    "memory MB": sum(map(pss_kb, pids)) / 1024,
                    "wake-ups/s": (sum(map(_wake_ups, pids)) - before) / IDLE_SECONDS,
                }
            )
    ours, flask = rows
    columns = ("start CPU s", "memory MB", "wake-ups/s")
    return [
        *rows,
        {"process": "ratio", **{name: ratio(ours[name], flask[name]) for name in columns}},
    ]


def _wake_ups(pid: int) -> int:
    """Return how often the threads of a process have waited for something."""
    statuses = [file.read_text() for file in Path(f"/proc/{pid}").glob("task/*/status")]
    return sum(
        int(n) for each in statuses for n in re.findall(r"^voluntary_\w+:\s+(\d+)", each, re.M)
    )
