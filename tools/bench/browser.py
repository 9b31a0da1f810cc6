"""Pages in Chromium, and their cost as Chromium itself reports it (DevTools protocol)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support import chromium
from tools.bench.table import Row

WATCH_SCRIPT = (Path(__file__).parent / "watch.js").read_text()
DURATION_METRICS = {
    "main s": "TaskDuration",
    "script s": "ScriptDuration",
    "layout s": "LayoutDuration",
    "style s": "RecalcStyleDuration",
}
LONG_TASK_MS = 50
QUIET_MS = 1_000


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Launch Chromium."""
    path = chromium.find_or_install_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def open_browser_context(
    browser: Browser, selector: str = "html", text: str = ""
) -> Iterator[BrowserContext]:
    """Open a browser context whose pages run `watch.js` and wait for a text.

    `bench.wanted` is the promise of the time at which the last element that matches `selector`
    contains `text`.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    wanted = f"bench.shown({json.dumps(selector)}, {json.dumps(text)})"
    context.add_init_script(f"{WATCH_SCRIPT}\nbench.wanted = {wanted};")
    yield context
    context.close()


class PageMeter:
    """Measures the cost of a page from the creation of the meter."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Performance.enable")
        self.cdp.send("Network.enable")
        self.cdp.on("Network.dataReceived", self._on_data)
        self.cdp.on("Network.loadingFinished", self._on_loading_finished)
        self._encoded_bytes: dict[str, float] = defaultdict(float)
        self._decoded_bytes: dict[str, float] = defaultdict(float)
        page.evaluate("() => bench.reset()")
        self._start_metrics = self._metrics()

    def costs(self) -> Row:
        """Return the costs since the start.

        Tasks and frames count if they take more than 50 ms. The wire includes headers, except those
        of streams that the page has closed.
        """
        metrics, start_metrics = self._metrics(), self._start_metrics
        if metrics["TaskDuration"] < start_metrics["TaskDuration"]:
            start_metrics = defaultdict(float)  # the page has moved to another process
        watched = self.page.evaluate("() => bench.report()")
        # A `dataReceived` event may include the encoded size of later events. Only a total of 0
        # means that the encoded size is unknown; then the decoded size counts.
        sizes = [size or self._decoded_bytes[key] for key, size in self._encoded_bytes.items()]
        self.cdp.send("HeapProfiler.collectGarbage")
        return {
            **{name: metrics[key] - start_metrics[key] for name, key in DURATION_METRICS.items()},
            "longest task ms": round(max(watched["tasks"], default=0)),
            "longest frame ms": round(max(watched["frames"], default=0)),
            "blocking ms": round(sum(task - LONG_TASK_MS for task in watched["tasks"])),
            "wire KB": sum(sizes) / 1000,
            "requests": sum(map(bool, sizes)),
            "nodes": watched["nodes"],
            "heap MB": self._metrics()["JSHeapUsedSize"] / 1e6,
        }

    def _metrics(self) -> dict[str, float]:
        metrics = self.cdp.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics}

    def _on_data(self, event: dict[str, Any]) -> None:
        # If the page closes a stream, Chromium sends no `loadingFinished` event with the size.
        self._encoded_bytes[event["requestId"]] += event["encodedDataLength"]
        self._decoded_bytes[event["requestId"]] += event["dataLength"]

    def _on_loading_finished(self, event: dict[str, Any]) -> None:
        self._encoded_bytes[event["requestId"]] = event["encodedDataLength"]
        self._decoded_bytes[event["requestId"]] = 0


def measure_visit(context: BrowserContext, url: str, label: str) -> Row:
    """Open a URL, and measure until the wanted text is shown."""
    page = context.new_page()
    page.wait_for_timeout(QUIET_MS)  # Chromium itself is busy after it has opened a window
    meter = PageMeter(page)
    page.goto(url)
    shown_ms = page.evaluate("() => bench.wanted")
    page.wait_for_timeout(QUIET_MS)
    first_paint_ms = page.evaluate("() => bench.firstPaint()")
    row = {label: round(shown_ms), "first paint ms": round(first_paint_ms)} | meter.costs()
    page.close()
    return row
