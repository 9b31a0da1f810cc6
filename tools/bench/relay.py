"""CPU time of the server for a reply, against a plain relay of the same stream."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import requests

from tests.support.person import Person
from tools.bench import sample_markdown
from tools.bench.scripted_service import make_message
from tools.bench.servers import ServerProcess
from tools.bench.table import Row, ratio


def measure(portal: ServerProcess, baseline: ServerProcess, deltas: int, rate: float) -> Row:
    """Read a reply through the portal and through the baseline at the same time."""
    tag = f"r{deltas}"
    message = make_message(deltas, tag=tag, rate=rate)
    text_bytes = len(sample_markdown.make_reply("mixed", deltas, tag).text)
    with ThreadPoolExecutor(2) as pool:
        portal_result = pool.submit(
            _measure_cpu, portal, lambda: _read_via_portal(portal.url, message)
        )
        baseline_result = pool.submit(
            _measure_cpu, baseline, lambda: _read_via_baseline(baseline.url, message)
        )
        (portal_seconds, portal_bytes), (baseline_seconds, baseline_bytes) = (
            portal_result.result(),
            baseline_result.result(),
        )
    return {
        "text": "mixed",
        "deltas": deltas,
        "portal us/delta": portal_seconds / deltas * 1e6,
        "pass-through us/delta": baseline_seconds / deltas * 1e6,
        "times": ratio(portal_seconds, baseline_seconds),
        "portal bytes/text": ratio(portal_bytes, text_bytes),
        "pass-through bytes/text": ratio(baseline_bytes, text_bytes),
    }


def _measure_cpu(server: ServerProcess, read: Callable[[], int]) -> tuple[float, int]:
    cpu_before = server.cpu_seconds()
    byte_count = read()
    return server.cpu_seconds() - cpu_before, byte_count


def _read_via_portal(url: str, message: str) -> int:
    person = Person(url)
    page = person.start_conversation(message)
    with person.follow(str(page.turns[-1]["data-turn"])) as stream:
        return _count_bytes(stream.response)


def _read_via_baseline(url: str, message: str) -> int:
    with requests.get(
        f"{url}/relay", params={"content": message}, stream=True, timeout=600
    ) as response:
        return _count_bytes(response)


def _count_bytes(response: requests.Response) -> int:
    """Return the number of bytes received, before decompression."""
    return sum(len(chunk) for chunk in iter(lambda: response.raw.read1(65536), b""))
