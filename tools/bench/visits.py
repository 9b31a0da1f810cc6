"""Visits: the first chat page, cold and warm, and an existing conversation."""

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

from tools.bench.chat_site import Site, kill_unresponsive_pages, open_browser_context
from tools.bench.page_meter import PageMeter
from tools.bench.table import Row

QUIET_MS = 1_000
ANSWER_TIMEOUT_SECONDS = 15


@dataclass(frozen=True)
class PreparedConversation:
    """A conversation: its turns, the end of its last reply, and cookies that grant access to it."""

    url: str
    turns: int
    end: str
    cookies: list[Any] = field(default_factory=list)


def measure_first_pages(browser: Browser, sites: Sequence[Site], rounds: int) -> list[Row]:
    """Open each first page in a new browser, then again in that browser; return the medians.

    Each round visits the sites in random order, so that the load of the machine and the end of the
    previous page affect all sites.
    """
    print(f"{', '.join(site.name for site in sites)}: the first page", file=sys.stderr)
    visits: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for _ in range(rounds):
        for site in random.sample(sites, len(sites)):
            condition = f"document.querySelector({json.dumps(site.composer)})"
            with open_browser_context(browser, condition=condition) as context:
                for kind in ("cold", "warm"):
                    row = _measure_visit(context, site.url)
                    labels = {"site": site.name, "visit": kind, "composer ms": row.pop("there ms")}
                    visits[site.name, kind].append(labels | row)
    return [_median_row(visits[site.name, kind]) for site in sites for kind in ("cold", "warm")]


def measure_conversation(
    browser: Browser, site: Site, prepared: PreparedConversation, max_seconds: float
) -> Row:
    """Open a conversation in a new browser; wait until its last reply is shown."""
    print(f"{site.name}: a conversation of {prepared.turns} turns", file=sys.stderr)
    selector, end = json.dumps(site.ended_reply), json.dumps(prepared.end)
    condition = f"[...document.querySelectorAll({selector})].at(-1)?.textContent.includes({end})"
    with open_browser_context(browser, condition=condition) as context:
        context.add_cookies(prepared.cookies)
        try:
            with kill_unresponsive_pages(browser, max_seconds + ANSWER_TIMEOUT_SECONDS):
                row = _measure_visit(context, prepared.url, max_seconds)
        except Error:
            row = {}
    row.pop("first paint ms", None)
    there_ms = row.pop("there ms", None) or f">{max_seconds * 1000:.0f}"
    return {"site": site.name, "turns": prepared.turns, "last message ms": there_ms} | row


def _measure_visit(context: BrowserContext, url: str, max_seconds: float = 30) -> Row:
    page = context.new_page()
    page.wait_for_timeout(QUIET_MS)  # Chromium itself is busy after it has opened a window
    meter = PageMeter(page)
    meter.start()
    page.goto(url, wait_until="load", timeout=max_seconds * 1000)
    waited = 0
    while not (shown_at := page.evaluate("() => bench.at")) and waited < max_seconds * 1000:
        page.wait_for_timeout(QUIET_MS)
        waited += QUIET_MS
    page.wait_for_timeout(QUIET_MS)
    first_paint = meter.first_paint_ms()
    row: Row = {
        "there ms": round(shown_at) if shown_at else None,
        "first paint ms": round(first_paint) if first_paint else None,
        "blocking ms": round(meter.blocking_ms()),
        "longest task ms": round(meter.longest_task_ms()),
        "main s": meter.main_thread_seconds()["main"],
        "wire KB": meter.wire_kilobytes(),
        "requests": meter.count_responses(),
        "other hosts": meter.count_other_hosts(),
        "nodes": meter.count_nodes(),
        "heap MB": meter.heap_megabytes(),
    }
    page.close()
    return row


def _median_row(rows: list[Row]) -> Row:
    return {
        name: value if isinstance(value, str) else _median_value([row[name] for row in rows])
        for name, value in rows[0].items()
    }


def _median_value(values: list[Any]) -> Any:
    present_values = [value for value in values if value is not None]
    if not present_values:
        return None
    middle = median(present_values)
    return round(middle) if isinstance(present_values[0], int) else middle
