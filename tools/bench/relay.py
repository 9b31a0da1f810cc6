"""What a reply costs the server, beside a plain pass-through of the same stream."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import requests

from tests.support.person import Person
from tools.bench import words
from tools.bench.servers import Serving
from tools.bench.service import said
from tools.bench.table import Row, ratio


def relayed(portal: Serving, bare: Serving, deltas: int, rate: float) -> Row:
    """Read a reply through the portal and through the pass-through at the same time."""
    tag = f"r{deltas}"
    order = said(deltas, tag=tag, rate=rate)
    text_bytes = len(words.reply("mixed", deltas, tag).text)
    with ThreadPoolExecutor(2) as pool:
        through = pool.submit(_cost, portal, lambda: _through_the_portal(portal.url, order))
        passed = pool.submit(_cost, bare, lambda: _passed_through(bare.url, order))
        (ours, our_bytes), (plain, plain_bytes) = through.result(), passed.result()
    return {
        "text": "mixed",
        "deltas": deltas,
        "portal us/delta": ours / deltas * 1e6,
        "pass-through us/delta": plain / deltas * 1e6,
        "times": ratio(ours, plain),
        "portal bytes/text": ratio(our_bytes, text_bytes),
        "pass-through bytes/text": ratio(plain_bytes, text_bytes),
    }


def _cost(serving: Serving, read: Callable[[], int]) -> tuple[float, int]:
    before = serving.cpu_seconds()
    count = read()
    return serving.cpu_seconds() - before, count


def _through_the_portal(url: str, order: str) -> int:
    somebody = Person(url)
    page = somebody.begin(order)
    with somebody.follow(str(page.turns[-1]["data-turn"])) as stream:
        return _bytes(stream.response)


def _passed_through(url: str, order: str) -> int:
    with requests.get(f"{url}/relay", params={"content": order}, stream=True, timeout=600) as given:
        return _bytes(given)


def _bytes(answer: requests.Response) -> int:
    """Return how many came, packed as they are."""
    return sum(len(chunk) for chunk in iter(lambda: answer.raw.read1(65536), b""))
