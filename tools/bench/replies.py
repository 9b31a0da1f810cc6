"""One long reply, as it is written before somebody who watches."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import dataclass

from playwright.sync_api import Browser, Error

from tools.bench import words
from tools.bench.meter import Meter
from tools.bench.servers import Service
from tools.bench.service import said
from tools.bench.site import Site, Told, patience, person
from tools.bench.table import Row, ratio

RATE = 200
CAP_SECONDS = 120
WARM_SECONDS = 30
# A page that is given up may still be asked, if it answers.
PATIENCE_SECONDS = 15

_tags = itertools.count(1)


@dataclass(frozen=True)
class Wanted:
    """A reply to be measured."""

    kind: str
    deltas: int
    cap: float = CAP_SECONDS

    def ordered(self) -> tuple[str, words.Reply]:
        """Return the message that orders the reply, and what the reply will be."""
        tag = f"m{next(_tags)}"
        order = said(self.deltas, tag=tag, rate=RATE, text=self.kind)
        return order, words.reply(self.kind, self.deltas, tag)


def measure(browser: Browser, site: Site, service: Service, wanted: Wanted) -> Row:
    """Let somebody ask for a reply, and return what it cost."""
    print(f"{site.name}: a reply, {wanted.kind}, {wanted.deltas or ''}", file=sys.stderr)
    try:
        return _measured(browser, site, service, wanted)
    except (Error, TimeoutError) as error:
        # One that does not work must not cost what was found out about the others.
        print(f"{site.name}: {error}", file=sys.stderr)
        return {"site": site.name, "text": wanted.kind, "deltas": wanted.deltas, "took s": "failed"}


def _measured(browser: Browser, site: Site, service: Service, wanted: Wanted) -> Row:
    order, reply = wanted.ordered()
    tag = order.rpartition("tag=")[2]
    with person(browser) as context:
        page = context.new_page()
        told = Told(page)
        site.open(page)
        _warm_up(told, site)
        page.evaluate("selector => bench.share(selector)", site.reply)
        meter = Meter(page)
        told.expect(site, reply.end, after=len(reply.pieces) / RATE)
        meter.start()
        cpu = site.serving.cpu_seconds()
        begun = time.time()
        site.say(page, order)
        finished = told.wait(wanted.cap)
        seconds = (finished or time.time()) - begun
        last = service.over(tag)
        deltas = len(reply.pieces)
        row: Row = {
            "site": site.name,
            "text": wanted.kind,
            "deltas": deltas,
            "ideal s": deltas / RATE,
            "took s": seconds if finished else f">{wanted.cap:.0f}",
            "after the last s": finished - last if finished and last else None,
            "shown %": 100 if finished else round(100 * told.shown / reply.parts),
            "server us/delta": round((site.serving.cpu_seconds() - cpu) / deltas * 1e6),
        }
        try:
            with patience(browser, PATIENCE_SECONDS):
                row |= _cost(meter, len(reply.text))
        except Error:
            row["main s"] = None
    return row


def _cost(meter: Meter, text_bytes: int) -> Row:
    seconds = meter.seconds()
    wire = meter.wire_kilobytes()
    return {
        "main s": seconds["main"],
        "script s": seconds["script"],
        "layout s": seconds["layout"],
        "style s": seconds["style"],
        "longest task ms": round(meter.longest_task()),
        "longest frame ms": round(meter.longest_frame()),
        "wire KB": wire,
        "wire/text": ratio(wire * 1000, text_bytes),
        "nodes": meter.nodes(),
        "heap MB": meter.heap_megabytes(),
    }


def _warm_up(told: Told, site: Site) -> None:
    """Have a first, short reply: it may bring another page, and load what is loaded late."""
    tag = f"w{next(_tags)}"
    site.say(told.page, said(20, tag=tag, rate=RATE))
    told.page.locator(site.reply).first.wait_for()
    told.expect(site, words.reply("mixed", 20, tag).end)
    if told.wait(WARM_SECONDS) is None:
        raise TimeoutError(f"{site.name} gives no reply at all")
