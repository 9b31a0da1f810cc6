"""Twindow in a real browser, served for real, in front of a scripted service."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import Browser

from tools.bench import relay, replies, servers, visits
from tools.bench.filling import filled
from tools.bench.replies import RATE, Wanted
from tools.bench.servers import Service, Serving
from tools.bench.site import Site, chromium, twindow
from tools.bench.table import Row, Table, ratio

FIRST_PAGE = "The first chat page"
CONVERSATION = "A conversation, opened by a new browser"
REPLY = f"A reply, {RATE} deltas of 16 bytes a second"

# Frames are 16 ms apart: fewer would tell one from the next by luck.
ROUNDS = 21
TURNS = (20, 1_000)
# These have a length of their own.
OTHERS = (Wanted("list", 0), Wanted("code", 0))


def measured(deltas: int) -> list[Table]:
    """Measure replies of so many deltas and of half as many, visits, and the server."""
    with (
        servers.scripted() as service,
        servers.portal(service) as portal,
        servers.bare(service) as bare,
        chromium() as browser,
    ):
        site = twindow(portal)
        return [
            Table(FIRST_PAGE, _first_pages(browser, site, bare)),
            Table(CONVERSATION, _conversations(browser, site)),
            Table(REPLY, _replies(browser, site, service, deltas)),
            Table("The server, computing", _server(portal, bare, deltas)),
        ]


def _first_pages(browser: Browser, site: Site, bare: Serving) -> list[Row]:
    htmx = replace(site, name="bare htmx", serving=bare, path="/", composer="textarea")
    least = replace(htmx, name="least htmx", path="/least")
    visits.first_pages(browser, [least], 1)  # the first page of all pays for the browser itself
    rows = visits.first_pages(browser, [site, htmx, least], ROUNDS)
    kinds = len(rows) // 3
    for nth, name in enumerate(("bare", "least"), 1):
        for row, reference in zip(rows, rows[nth * kinds : (nth + 1) * kinds], strict=False):
            row[f"paint/{name}"] = ratio(row["first paint ms"], reference["first paint ms"])
    return rows


def _conversations(browser: Browser, site: Site) -> list[Row]:
    opened = [filled(site.serving.url, turns) for turns in TURNS]
    rows = [visits.conversation(browser, site, one, replies.CAP_SECONDS) for one in opened]
    return with_growth(rows, "last message ms")


def _replies(browser: Browser, site: Site, service: Service, deltas: int) -> list[Row]:
    wanted = [Wanted("mixed", deltas // 2), Wanted("mixed", deltas), *OTHERS]
    rows = [replies.measure(browser, site, service, one) for one in wanted]
    return with_growth(rows[:2], "main s") + rows[2:]


def _server(portal: Serving, bare: Serving, deltas: int) -> list[Row]:
    rows = [relay.relayed(portal, bare, count, RATE) for count in (deltas // 2, deltas)]
    rows[-1]["us/delta against half"] = ratio(
        rows[-1]["portal us/delta"], rows[0]["portal us/delta"]
    )
    return rows


def with_growth(rows: list[Row], name: str) -> list[Row]:
    """Say of the last row how many times the one before it it costs."""
    before, last = (row.get(name) for row in rows[-2:])
    if isinstance(before, int | float) and isinstance(last, int | float):
        rows[-1]["growth"] = ratio(last, before)
    return rows
