"""Visits: the first chat page, cold and warm, and a conversation that is opened again."""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error

from tools.bench.meter import Meter
from tools.bench.site import Site, patience, person
from tools.bench.table import Row

QUIET_MS = 1_000
PATIENCE_SECONDS = 15


@dataclass(frozen=True)
class Opened:
    """A conversation of so many turns, how its last reply ends, and who may see it."""

    address: str
    turns: int
    end: str
    cookies: list[Any] = field(default_factory=list)


def first_pages(browser: Browser, sites: Sequence[Site], rounds: int) -> list[Row]:
    """Open first chat pages by new browsers, and once more by the same; return the medians.

    The sites take turns, in an order of chance: what the machine does beside falls on all of them,
    and so does the end of the page before.
    """
    print(f"{', '.join(site.name for site in sites)}: the first page", file=sys.stderr)
    visits: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for _ in range(rounds):
        for site in random.sample(sites, len(sites)):
            there = f"document.querySelector({json.dumps(site.composer)})"
            with person(browser, until=there) as context:
                for kind in ("cold", "warm"):
                    row = _visit(context, site.url)
                    named = {"site": site.name, "visit": kind, "composer ms": row.pop("there ms")}
                    visits[site.name, kind].append(named | row)
    return [_median(visits[site.name, kind]) for site in sites for kind in ("cold", "warm")]


def conversation(browser: Browser, site: Site, opened: Opened, cap: float) -> Row:
    """Open a conversation whose last reply has this end, with a browser that was never here."""
    print(f"{site.name}: a conversation of {opened.turns} turns", file=sys.stderr)
    query, end = json.dumps(site.whole), json.dumps(opened.end)
    there = f"[...document.querySelectorAll({query})].at(-1)?.textContent.includes({end})"
    with person(browser, until=there) as context:
        context.add_cookies(opened.cookies)
        try:
            with patience(browser, cap + PATIENCE_SECONDS):
                row = _visit(context, opened.address, cap)
        except Error:
            row = {}
    row.pop("first paint ms", None)
    there_ms = row.pop("there ms", None) or f">{cap * 1000:.0f}"
    return {"site": site.name, "turns": opened.turns, "last message ms": there_ms} | row


def _visit(context: BrowserContext, address: str, cap: float = 30) -> Row:
    page = context.new_page()
    page.wait_for_timeout(QUIET_MS)  # a new window keeps Chromium itself busy
    meter = Meter(page)
    meter.start()
    page.goto(address, wait_until="load", timeout=cap * 1000)
    waited = 0
    while not (at := page.evaluate("() => bench.at")) and waited < cap * 1000:
        page.wait_for_timeout(QUIET_MS)
        waited += QUIET_MS
    page.wait_for_timeout(QUIET_MS)
    paint = meter.first_paint()
    row: Row = {
        "there ms": round(at) if at else None,
        "first paint ms": round(paint) if paint else None,
        "blocking ms": round(meter.blocking()),
        "longest task ms": round(meter.longest_task()),
        "main s": meter.seconds()["main"],
        "wire KB": meter.wire_kilobytes(),
        "requests": meter.requests(),
        "other hosts": meter.other_hosts(),
        "nodes": meter.nodes(),
        "heap MB": meter.heap_megabytes(),
    }
    page.close()
    return row


def _median(rows: list[Row]) -> Row:
    return {
        name: value if isinstance(value, str) else _middle([row[name] for row in rows])
        for name, value in rows[0].items()
    }


def _middle(values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    if not known:
        return None
    middle = median(known)
    return round(middle) if isinstance(known[0], int) else middle
