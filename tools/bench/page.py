"""Twindow in a real browser, on its real server, with a scripted service."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import Browser

from tools.bench import relay, replies, servers, transactions, visits
from tools.bench.chat_site import Site, launch_chromium, twindow
from tools.bench.conversation_setup import create_conversation
from tools.bench.replies import DELTAS_PER_SECOND, ReplySpec
from tools.bench.servers import ScriptedService, ServerProcess
from tools.bench.table import Row, Table, ratio

FIRST_PAGE_TITLE = "The first chat page"
CONVERSATION_TITLE = "A conversation, opened by a new browser"
REPLY_TITLE = f"A reply, {DELTAS_PER_SECOND} deltas of 16 bytes a second"

# Times vary by a frame (16 ms), so with fewer rounds the medians would differ by chance.
ROUNDS = 21
TURN_COUNTS = (20, 1_000)
# These replies have a fixed length.
FIXED_LENGTH_REPLIES = (ReplySpec("list", 0), ReplySpec("code", 0))


def measure(deltas: int) -> list[Table]:
    """Measure visits, replies, the CPU time of the server, and a transaction."""
    with (
        servers.run_scripted_service() as service,
        servers.run_portal(service) as portal,
        servers.run_baseline(service) as baseline,
        launch_chromium() as browser,
    ):
        site = twindow(portal)
        return [
            Table(FIRST_PAGE_TITLE, _measure_first_pages(browser, site, baseline)),
            Table(CONVERSATION_TITLE, _measure_conversations(browser, site)),
            Table(REPLY_TITLE, _measure_replies(browser, site, service, deltas)),
            Table("The server, computing", _measure_server(portal, baseline, deltas)),
            Table("A transaction on SQLite", transactions.measure()),
        ]


def _measure_first_pages(browser: Browser, site: Site, baseline: ServerProcess) -> list[Row]:
    htmx = replace(site, name="bare htmx", server=baseline, path="/", composer="textarea")
    minimal = replace(htmx, name="least htmx", path="/least")
    # Discard the first measurement, because it includes the start of the browser.
    visits.measure_first_pages(browser, [minimal], 1)
    rows = visits.measure_first_pages(browser, [site, htmx, minimal], ROUNDS)
    kinds = len(rows) // 3
    for nth, name in enumerate(("bare", "least"), 1):
        for row, reference in zip(rows, rows[nth * kinds : (nth + 1) * kinds], strict=False):
            row[f"paint/{name}"] = ratio(row["first paint ms"], reference["first paint ms"])
    return rows


def _measure_conversations(browser: Browser, site: Site) -> list[Row]:
    conversations = [create_conversation(site.server.url, turns) for turns in TURN_COUNTS]
    rows = [
        visits.measure_conversation(browser, site, conversation, replies.MAX_REPLY_SECONDS)
        for conversation in conversations
    ]
    return add_growth(rows, "last message ms")


def _measure_replies(
    browser: Browser, site: Site, service: ScriptedService, deltas: int
) -> list[Row]:
    specs = [ReplySpec("mixed", deltas // 2), ReplySpec("mixed", deltas), *FIXED_LENGTH_REPLIES]
    rows = [replies.measure(browser, site, service, spec) for spec in specs]
    return add_growth(rows[:2], "main s") + rows[2:]


def _measure_server(portal: ServerProcess, baseline: ServerProcess, deltas: int) -> list[Row]:
    rows = [
        relay.measure(portal, baseline, count, DELTAS_PER_SECOND) for count in (deltas // 2, deltas)
    ]
    rows[-1]["us/delta against half"] = ratio(
        rows[-1]["portal us/delta"], rows[0]["portal us/delta"]
    )
    return rows


def add_growth(rows: list[Row], column: str) -> list[Row]:
    """Set `growth` in the last row: its value of `column` divided by the previous row's value."""
    before, last = (row.get(column) for row in rows[-2:])
    if isinstance(before, int | float) and isinstance(last, int | float):
        rows[-1]["growth"] = ratio(last, before)
    return rows
