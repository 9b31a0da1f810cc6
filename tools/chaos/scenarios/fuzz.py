"""Feed random event streams and random Markdown to the code that reads them."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from itertools import pairwise

import twinapi
from chat.log import entries
from chat.log.entries import Batch, Delta, Ended, Entry, ReplyState, build_reply
from core import sse
from rendering.render import render
from rendering.stream.incremental import IncrementalRenderer
from tools.chaos import random_input
from tools.chaos.html_allowlist import AllowlistChecker
from tools.chaos.report import Expectations, Report, at_most, below
from tools.probes import proc_status
from twinapi.events import EventParser
from web.i18n import english_end_message

WARM_UP_ROUNDS = 2000

EXPECTATIONS: Expectations = {
    "failures": at_most(0),
    "slowest_cpu_seconds": below(1),
    "growth_mb": below(50),
}


def run(seconds: float = 60, seed: int = 1, only_round: int | None = None) -> Report:
    """Fuzz streams and documents for `seconds`, or repeat the single round `only_round`."""
    started_at = time.monotonic()
    number, slowest, failures = 0, (0.0, ""), list[str]()
    rss_before = proc_status(os.getpid(), "VmRSS")
    while time.monotonic() - started_at < seconds:
        if number == WARM_UP_ROUNDS:
            rss_before = proc_status(os.getpid(), "VmRSS")
        round_number = number if only_round is None else only_round
        for attempt in (fuzz_stream, fuzz_document):
            rng = random.Random(f"{seed}:{round_number}")  # noqa: S311
            cpu_seconds_before = time.process_time()
            try:
                attempt(rng)
            except Exception as error:  # noqa: BLE001
                failures.append(f"{attempt.__name__} {seed}:{round_number} {error!r}"[:300])
            cpu_seconds = time.process_time() - cpu_seconds_before
            slowest = max(slowest, (cpu_seconds, f"{attempt.__name__} {seed}:{round_number}"))
        number += 1
        if only_round is not None:
            break
    return {
        "streams": number,
        "documents": number,
        "failures": len(failures),
        "first_failures": failures[:5],
        "slowest_cpu_seconds": round(slowest[0], 3),
        "slowest": slowest[1],
        "growth_mb": round((proc_status(os.getpid(), "VmRSS") - rss_before) / 1024, 1),
    }


def fuzz_stream(rng: random.Random) -> None:
    """Relay a random stream as the portal does, and parse the result as a browser does."""
    stream = random_input.event_stream(rng)
    events = _read_events(stream, [len(stream)])
    assert _read_events(stream, _random_cuts(rng, len(stream))) == events
    parsed = filter(None, map(EventParser().parse, events))
    log = [entry for event in parsed if (entry := _to_entry(event))]
    log = [entries.decode(entries.encode(entry)) for entry in log]
    reply = build_reply(Batch(0, len(log), tuple(log)))
    _check_html(reply.text)
    for text in (render(reply.text, "x"), reply.text, english_end_message(reply)):
        _check_frame(text)


def fuzz_document(rng: random.Random) -> None:
    """Render random Markdown, complete and while it is streamed."""
    text = random_input.markdown(rng)
    _check_html(text)
    _check_incremental(rng, text)


def _check_incremental(rng: random.Random, text: str) -> None:
    chunk_ends = sorted(rng.choices(range(len(text) + 1), k=rng.choice((1, 20, 100))))
    renderer = IncrementalRenderer("x")
    checker = AllowlistChecker()
    for start, end in pairwise([0, *chunk_ends, len(text)]):
        renderer.append(text[start:end])
        for patch in renderer.next_patches():
            checker.feed(patch.html)
    for patch in renderer.final_patches(render(text, "x")):
        checker.feed(patch.html)
    assert not checker.violations, f"{checker.violations} in {json.dumps(text)[:200]}"


def _read_events(stream: bytes, cuts: list[int]) -> list[sse.ServerSentEvent]:
    def chunks() -> Iterator[bytes]:
        start = 0
        for end in cuts:
            yield stream[start:end]
            start = end

    events: list[sse.ServerSentEvent] = []
    try:
        events.extend(sse.read_events(chunks()))
    except sse.EventTooLarge:
        events.append(sse.ServerSentEvent("too large", ""))
    return events


def _random_cuts(rng: random.Random, length: int) -> list[int]:
    count = rng.choice((1, 3, 20, min(length, 1000)))
    return [*sorted(rng.randint(0, length) for _ in range(count)), length]


def _to_entry(event: twinapi.Event) -> Entry | None:
    match event:
        case twinapi.Progress(text, percent):
            return entries.Progress(text, percent)
        case twinapi.Delta(text):
            return Delta(text)
        case twinapi.Complete(text):
            return Ended(ReplyState.COMPLETE, text=text or "") if text else None
        case twinapi.Failed(detail):
            return Ended(
                ReplyState.FAILED, code="service_error_with_reason", params={"reason": detail}
            )
    return None


def _check_frame(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if lines.count("\n") < sse.MAX_EVENT_LINES // 2 and len(lines) < sse.MAX_EVENT_BYTES // 8:
        [event] = sse.read_events([sse.frame(text, event="x", id=7).encode()])
        assert event == sse.ServerSentEvent("x", lines)


def _check_html(text: str) -> None:
    checker = AllowlistChecker()
    checker.feed(render(text, "x"))
    checker.close()
    assert not checker.violations, f"{checker.violations} in {json.dumps(text)[:200]}"
