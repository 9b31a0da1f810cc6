"""Metrics for Prometheus: who may read them, and what they count."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.support.passwords import PASSWORD
from tests.support.person import Person, complete_first_turn
from tests.support.processes import ServerProcess, run_server
from tests.support.promtool import check_metrics
from tests.support.sign_in_steps import add_people, sign_in
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until
from twindow.paths import ROOT
from twindow.twinapi import RateLimitReport
from twindow.web.container import Portal

REMOTE = {"API_URL": "http://127.0.0.1:9", "API_KEY": "any"}


# Let this machine read the metrics.
pytestmark = pytest.mark.settings(metrics_from="127.0.0.1")


def series(text: str) -> dict[str, float]:
    """Return the values by the name and labels of their series."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name.removeprefix("twindow_"): float(value) for name, _, value in lines}


def read(person: Person) -> dict[str, float]:
    return series(person.get("/metrics").response.text)


def test_request_through_a_proxy_gets_no_metrics(alice: Person):
    assert alice.get("/metrics").response.headers["Content-Type"].startswith("text/plain")
    assert alice.get("/metrics", **{"X-Forwarded-For": "127.0.0.1"}).status == 404
    assert alice.get("/metrics", Forwarded="for=127.0.0.1").status == 404


@pytest.mark.settings(metrics_from="192.0.2.0/24")
def test_metrics_look_like_an_unknown_page_to_other_addresses(alice: Person):
    page, unknown = alice.get("/metrics"), alice.get("/unknown")

    assert (page.status, page.text) == (404, unknown.text)


@pytest.mark.settings(metrics_from="")
def test_metrics_are_an_unknown_page_by_default(alice: Person):
    assert alice.get("/metrics").status == 404


def test_replies_are_counted_from_their_start_to_their_end(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.delta("Hello, Alice")
        stream.read_until("Hello, Alice")
        running = read(alice)
        call.complete()
        stream.remaining_events()
    wait_until(lambda: read(alice)["streams_open"] == 0)
    ended = read(alice)

    assert (running["replies_running"], running["streams_open"]) == (1, 1)
    assert running["first_text_seconds_count"] == 1
    assert running['replies_total{end="complete"}'] == 0
    assert (ended["replies_running"], ended['replies_total{end="complete"}']) == (0, 1)
    assert ended['replies_total{end="failed"}'] == 0


@pytest.mark.settings(limits="person=1/hour")
def test_messages_refused_by_a_limit_are_counted(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    assert alice.press(page, "Send", content="Once more").status == 429

    assert read(alice)["messages_refused_total"] == 1


def test_requests_that_the_service_still_accepts_are_shown_when_it_reports_them(
    alice: Person, portal: Portal
):
    assert "service_requests_left" not in read(alice)

    portal.reply_worker.quota.record_report(RateLimitReport(41))
    assert read(alice)["service_requests_left"] == 41


def test_responses_are_counted_by_the_class_of_their_status(alice: Person):
    alice.get("/")
    alice.get("/unknown")
    counted = read(alice)

    assert counted['http_requests_total{status="2xx"}'] == 1
    assert counted['http_requests_total{status="4xx"}'] == 1


def test_transactions_without_a_database_are_counted(alice: Person, portal: Portal):
    portal.database.lock_timeout = 0.0
    other = sqlite3.connect(str(portal.database.engine.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert alice.get("/readyz").status == 503
    other.close()

    assert read(alice)["database_failures_total"] == 1


@pytest.mark.settings(sign_in="password")
def test_sign_ins_are_counted_by_result_and_metrics_need_none(alice: Person, portal: Portal):
    add_people(portal).attempt_limits.account_limit = 1
    for name, password in (("Anna", "wrong"), ("Anna", "wrong"), ("Ben", PASSWORD)):
        sign_in(alice, name, password)
    counted = read(alice)

    results = ("accepted", "refused", "delayed")
    assert [counted[f'sign_ins_total{{result="{result}"}}'] for result in results] == [1, 1, 1]


def scrape(server: ServerProcess) -> str:
    response = requests.get(f"{server.url}/metrics", timeout=20)
    assert response.status_code == 200
    return response.text


@pytest.mark.usefixtures("processes")
def test_any_worker_shows_the_sum_of_all_workers_even_of_dead_ones(tmp_path: Path):
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "counter_1.db").write_bytes(b"left by an earlier run")
    # Of no other request, such as a late response to a probe.
    answered = 'http_requests_total{status="4xx"}'
    with run_server(tmp_path, "app.py", WORKERS="2", METRICS_FROM="127.0.0.1", **REMOTE) as server:
        server.wait_until_ready()
        wait_until(lambda: len(list(folder.glob("counter_*.db"))) == 2)
        before = series(scrape(server))[answered]
        for _ in range(20):
            requests.get(f"{server.url}/nowhere", timeout=20)
        shown = {series(scrape(server))[answered] for _ in range(10)}
        killed = server.worker_pids[0]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: not list(folder.glob(f"gauge_live*_{killed}.db")))
        text = scrape(server)

    assert shown == {before + 20}
    assert series(text)[answered] == before + 20
    assert check_metrics(text) == ""


IMPORT_SCRIPT = """
import app, sys
for addresses in ("", "127.0.0.1"):
    app.create_app({"metrics_from": addresses})
    print("prometheus_client" in sys.modules)
"""


@pytest.mark.usefixtures("processes")
def test_library_is_imported_only_while_metrics_are_on(tmp_path: Path):
    settings = REMOTE | {"DATA_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_SCRIPT],
        env=os.environ | {f"TWINDOW_{name}": value for name, value in settings.items()},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.split() == ["False", "True"]
