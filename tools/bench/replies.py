"""Cost of one long reply in a page that shows it as it is written."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import dataclass

from playwright.sync_api import Browser, Error

from tools.bench import sample_markdown
from tools.bench.chat_site import PageWatcher, Site, kill_unresponsive_pages, open_browser_context
from tools.bench.page_meter import PageMeter
from tools.bench.scripted_service import make_message
from tools.bench.servers import ScriptedService
from tools.bench.table import Row, ratio

DELTAS_PER_SECOND = 200
MAX_REPLY_SECONDS = 120
WARM_UP_TIMEOUT_SECONDS = 30
# A page that does not report its costs within this time is killed.
ANSWER_TIMEOUT_SECONDS = 15

_tags = itertools.count(1)


@dataclass(frozen=True)
class ReplySpec:
    """A reply to measure."""

    kind: str
    deltas: int
    max_seconds: float = MAX_REPLY_SECONDS

    def prepare(self) -> tuple[str, sample_markdown.Reply]:
        """Return the message that requests the reply, and the reply that it produces."""
        tag = f"m{next(_tags)}"
        message = make_message(self.deltas, tag=tag, rate=DELTAS_PER_SECOND, text=self.kind)
        return message, sample_markdown.make_reply(self.kind, self.deltas, tag)


def measure(browser: Browser, site: Site, service: ScriptedService, spec: ReplySpec) -> Row:
    """Send a message on a site and return the cost of its reply."""
    print(f"{site.name}: a reply, {spec.kind}, {spec.deltas or ''}", file=sys.stderr)
    try:
        return _measure(browser, site, service, spec)
    except (Error, TimeoutError) as error:
        # If one site fails, keep the results of the other sites.
        print(f"{site.name}: {error}", file=sys.stderr)
        return {"site": site.name, "text": spec.kind, "deltas": spec.deltas, "took s": "failed"}


def _measure(browser: Browser, site: Site, service: ScriptedService, spec: ReplySpec) -> Row:
    message, reply = spec.prepare()
    tag = message.rpartition("tag=")[2]
    with open_browser_context(browser) as context:
        page = context.new_page()
        watcher = PageWatcher(page)
        site.open(page)
        _warm_up(watcher, site)
        page.evaluate("selector => bench.share(selector)", site.reply)
        meter = PageMeter(page)
        watcher.expect_reply_end(site, reply.end, after=len(reply.deltas) / DELTAS_PER_SECOND)
        meter.start()
        cpu_before = site.server.cpu_seconds()
        sent_at = time.time()
        site.send_message(page, message)
        ended_at = watcher.wait_for_end(spec.max_seconds)
        seconds = (ended_at or time.time()) - sent_at
        last_delta_at = service.reply_ended_at(tag)
        deltas = len(reply.deltas)
        row: Row = {
            "site": site.name,
            "text": spec.kind,
            "deltas": deltas,
            "ideal s": deltas / DELTAS_PER_SECOND,
            "took s": seconds if ended_at else f">{spec.max_seconds:.0f}",
            "after the last s": ended_at - last_delta_at if ended_at and last_delta_at else None,
            "shown %": 100 if ended_at else round(100 * watcher.shown_marker / reply.marker_count),
            "server us/delta": round((site.server.cpu_seconds() - cpu_before) / deltas * 1e6),
        }
        try:
            with kill_unresponsive_pages(browser, ANSWER_TIMEOUT_SECONDS):
                row |= _page_costs(meter, len(reply.text))
        except Error:
            row["main s"] = None
    return row


def _page_costs(meter: PageMeter, text_bytes: int) -> Row:
    seconds = meter.main_thread_seconds()
    wire = meter.wire_kilobytes()
    return {
        "main s": seconds["main"],
        "script s": seconds["script"],
        "layout s": seconds["layout"],
        "style s": seconds["style"],
        "longest task ms": round(meter.longest_task_ms()),
        "longest frame ms": round(meter.longest_frame_ms()),
        "wire KB": wire,
        "wire/text": ratio(wire * 1000, text_bytes),
        "nodes": meter.count_nodes(),
        "heap MB": meter.heap_megabytes(),
    }


def _warm_up(watcher: PageWatcher, site: Site) -> None:
    """Receive a short reply, because the first reply may open another page and load files."""
    tag = f"w{next(_tags)}"
    site.send_message(watcher.page, make_message(20, tag=tag, rate=DELTAS_PER_SECOND))
    watcher.page.locator(site.reply).first.wait_for()
    watcher.expect_reply_end(site, sample_markdown.make_reply("mixed", 20, tag).end)
    if watcher.wait_for_end(WARM_UP_TIMEOUT_SECONDS) is None:
        raise TimeoutError(f"{site.name} gives no reply at all")
