"""The cost of a page for the browser, as reported by Chromium (DevTools protocol)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

WATCH_SCRIPT = (Path(__file__).parent / "watch.js").read_text()
DURATION_METRICS = {
    "main": "TaskDuration",
    "script": "ScriptDuration",
    "layout": "LayoutDuration",
    "style": "RecalcStyleDuration",
}
COUNT_NODES_SCRIPT = """() => {
  const all = document.createNodeIterator(document, NodeFilter.SHOW_ALL);
  let count = 0;
  while (all.nextNode()) count += 1;
  return count;
}"""
FIRST_PAINT_SCRIPT = (
    "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
)
LONG_TASK_MS = 50


class PageMeter:
    """Measurements of a page that runs `watch.js`."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Performance.enable")
        self.cdp.send("Network.enable")
        self.cdp.on("Network.requestWillBeSent", self._on_request)
        self.cdp.on("Network.dataReceived", self._on_data)
        self.cdp.on("Network.loadingFinished", self._on_loading_finished)
        self.cdp.on("Network.webSocketFrameReceived", self._on_websocket_frame)
        self._encoded_bytes: dict[str, float] = defaultdict(float)
        self._decoded_bytes: dict[str, float] = defaultdict(float)
        self._hosts: dict[str, str] = {}
        self._start_metrics: dict[str, float] = {}

    def start(self) -> None:
        """Reset the counters."""
        self.page.evaluate("() => window.bench?.reset()")
        self._encoded_bytes.clear()
        self._decoded_bytes.clear()
        self._hosts.clear()
        self._start_metrics = self._metrics()

    def main_thread_seconds(self) -> dict[str, float]:
        """Return the seconds of the main thread since the start, by kind of work."""
        now = self._metrics()
        # When a page moves to another process, its metrics restart at zero.
        has_moved = now["TaskDuration"] < self._start_metrics["TaskDuration"]
        start_metrics = {} if has_moved else self._start_metrics
        return {
            name: now[metric] - start_metrics.get(metric, 0)
            for name, metric in DURATION_METRICS.items()
        }

    def longest_task_ms(self) -> float:
        """Return the duration of the longest task of more than 50 ms, or 0."""
        return max(self._long_task_durations(), default=0.0)

    def blocking_ms(self) -> float:
        """Return the total blocking time: the sum of each task's time beyond 50 ms."""
        return sum(duration - LONG_TASK_MS for duration in self._long_task_durations())

    def longest_frame_ms(self) -> float:
        """Return the duration of the longest frame of more than 50 ms, or 0."""
        return max(self.page.evaluate("() => bench.frames"), default=0.0)

    def first_paint_ms(self) -> float | None:
        """Return the time of the first contentful paint, or None."""
        paint_ms: float | None = self.page.evaluate(FIRST_PAINT_SCRIPT)
        return paint_ms

    def heap_megabytes(self) -> float:
        """Return the size of the JavaScript heap in MB, after a garbage collection."""
        self.cdp.send("HeapProfiler.collectGarbage")
        return self._metrics()["JSHeapUsedSize"] / 1e6

    def count_nodes(self) -> int:
        """Return the number of DOM nodes, text nodes included."""
        return int(self.page.evaluate(COUNT_NODES_SCRIPT))

    def wire_kilobytes(self) -> float:
        """Return the KB received; headers count, except those of web sockets and closed streams."""
        return sum(self._response_bytes()) / 1000

    def count_responses(self) -> int:
        """Return the number of responses received, the favicon included."""
        return sum(1 for count in self._response_bytes() if count)

    def count_other_hosts(self) -> int:
        """Return the number of other hosts that the page sends requests to."""
        own_host = urlsplit(self.page.url).hostname
        return len({host for host in self._hosts.values() if host and host != own_host})

    def _response_bytes(self) -> Iterator[float]:
        # A `dataReceived` event may include the encoded size of later events. Only a total of 0
        # means that the encoded size is unknown; then the decoded size counts.
        for key, encoded in self._encoded_bytes.items():
            yield encoded or self._decoded_bytes[key]

    def _long_task_durations(self) -> list[float]:
        tasks: list[float] = self.page.evaluate("() => bench.tasks")
        return tasks

    def _metrics(self) -> dict[str, float]:
        metrics = self.cdp.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics}

    def _on_request(self, event: dict[str, Any]) -> None:
        self._hosts[event["requestId"]] = urlsplit(event["request"]["url"]).hostname or ""

    def _on_data(self, event: dict[str, Any]) -> None:
        # If the page closes a stream, Chromium sends no `loadingFinished` event with the size.
        self._encoded_bytes[event["requestId"]] += event["encodedDataLength"]
        self._decoded_bytes[event["requestId"]] += event["dataLength"]

    def _on_loading_finished(self, event: dict[str, Any]) -> None:
        self._encoded_bytes[event["requestId"]] = event["encodedDataLength"]
        self._decoded_bytes[event["requestId"]] = 0

    def _on_websocket_frame(self, event: dict[str, Any]) -> None:
        self._encoded_bytes[event["requestId"]] += len(event["response"]["payloadData"])
