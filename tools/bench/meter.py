"""What a page costs the browser, as Chromium itself says (DevTools protocol)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

WATCH = (Path(__file__).parent / "watch.js").read_text()
DURATIONS = {
    "main": "TaskDuration",
    "script": "ScriptDuration",
    "layout": "LayoutDuration",
    "style": "RecalcStyleDuration",
}
NODES = """() => {
  const all = document.createNodeIterator(document, NodeFilter.SHOW_ALL);
  let count = 0;
  while (all.nextNode()) count += 1;
  return count;
}"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
LONG_MS = 50


class Meter:
    """Measure a page that has `watch.js` in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Performance.enable")
        self.cdp.send("Network.enable")
        self.cdp.on("Network.requestWillBeSent", self._asked)
        self.cdp.on("Network.dataReceived", self._came)
        self.cdp.on("Network.loadingFinished", self._finished)
        self.cdp.on("Network.webSocketFrameReceived", self._told)
        self._bytes: dict[str, float] = defaultdict(float)
        self._data: dict[str, float] = defaultdict(float)
        self._hosts: dict[str, str] = {}
        self._before: dict[str, float] = {}

    def start(self) -> None:
        """Count from now on."""
        self.page.evaluate("() => window.bench?.reset()")
        self._bytes.clear()
        self._data.clear()
        self._hosts.clear()
        self._before = self._metrics()

    def seconds(self) -> dict[str, float]:
        """Return the seconds of the main thread since the start."""
        now = self._metrics()
        # A page that moved to a process of its own counts from nothing.
        moved = now["TaskDuration"] < self._before["TaskDuration"]
        before = {} if moved else self._before
        return {name: now[metric] - before.get(metric, 0) for name, metric in DURATIONS.items()}

    def longest_task(self) -> float:
        """Return the longest task of more than 50 ms, 0 if there was none."""
        return max(self._tasks(), default=0.0)

    def blocking(self) -> float:
        """Return for how long tasks held everything up, beyond 50 ms each."""
        return sum(duration - LONG_MS for duration in self._tasks())

    def longest_frame(self) -> float:
        """Return how long the latest frame took that took more than 50 ms, 0 if there was none."""
        return max(self.page.evaluate("() => bench.frames"), default=0.0)

    def first_paint(self) -> float | None:
        """Return when something could be read first."""
        at: float | None = self.page.evaluate(PAINT)
        return at

    def heap_megabytes(self) -> float:
        """Return what scripts hold, after the rubbish has been collected."""
        self.cdp.send("HeapProfiler.collectGarbage")
        return self._metrics()["JSHeapUsedSize"] / 1e6

    def nodes(self) -> int:
        """Return how many nodes the document has, text included."""
        return int(self.page.evaluate(NODES))

    def wire_kilobytes(self) -> float:
        """Return what came over the wire: of streams and web sockets what is in them, else all."""
        return sum(self._counts()) / 1000

    def requests(self) -> int:
        """Return how many answers came over the wire, the favicon among them."""
        return sum(1 for count in self._counts() if count)

    def other_hosts(self) -> int:
        """Return how many other hosts the page asks."""
        own = urlsplit(self.page.url).hostname
        return len({host for host in self._hosts.values() if host and host != own})

    def _counts(self) -> Iterator[float]:
        # What comes together is told at once with the first of it, what is unknown is told as 0.
        for key, encoded in self._bytes.items():
            yield encoded or self._data[key]

    def _tasks(self) -> list[float]:
        tasks: list[float] = self.page.evaluate("() => bench.tasks")
        return tasks

    def _metrics(self) -> dict[str, float]:
        told = self.cdp.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in told}

    def _asked(self, event: dict[str, Any]) -> None:
        self._hosts[event["requestId"]] = urlsplit(event["request"]["url"]).hostname or ""

    def _came(self, event: dict[str, Any]) -> None:
        # Of a stream that the page closes, this is all that Chromium ever tells.
        self._bytes[event["requestId"]] += event["encodedDataLength"]
        self._data[event["requestId"]] += event["dataLength"]

    def _finished(self, event: dict[str, Any]) -> None:
        self._bytes[event["requestId"]] = event["encodedDataLength"]
        self._data[event["requestId"]] = 0

    def _told(self, event: dict[str, Any]) -> None:
        self._bytes[event["requestId"]] += len(event["response"]["payloadData"])
