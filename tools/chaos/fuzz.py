"""Random streams and random Markdown, through everything that reads them."""

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
from tools.chaos import words
from tools.chaos.measures import status
from tools.chaos.report import Promises, Report, at_most, below
from tools.chaos.tags import Tags
from twinapi.events import parse

WARM_ROUNDS = 2000

PROMISES: Promises = {
    "failures": at_most(0),
    "slowest_seconds": below(1),
    "growth_mb": below(50),
}


def fuzz(seconds: float = 60, seed: int = 1, only: int | None = None) -> Report:
    """Try random streams and documents for so long; `only` repeats one round by its number."""
    begun = time.monotonic()
    number, slowest, failed = 0, (0.0, ""), list[str]()
    before = status(os.getpid(), "VmRSS")
    while time.monotonic() - begun < seconds:
        if number == WARM_ROUNDS:
            before = status(os.getpid(), "VmRSS")
        current = number if only is None else only
        for attempt in (a_stream, a_document):
            dice = random.Random(f"{seed}:{current}")  # noqa: S311
            started = time.monotonic()
            try:
                attempt(dice)
            except Exception as error:  # noqa: BLE001
                failed.append(f"{attempt.__name__} {seed}:{current} {error!r}"[:300])
            took = time.monotonic() - started
            slowest = max(slowest, (took, f"{attempt.__name__} {seed}:{current}"))
        number += 1
        if only is not None:
            break
    return {
        "streams": number,
        "documents": number,
        "failures": len(failed),
        "first_failures": failed[:5],
        "slowest_seconds": round(slowest[0], 3),
        "slowest": slowest[1],
        "growth_mb": round((status(os.getpid(), "VmRSS") - before) / 1024, 1),
    }


def a_stream(dice: random.Random) -> None:
    """Relay a random stream as the portal does, and read what a browser would."""
    stream = words.stream(dice)
    events = _read(stream, [len(stream)])
    assert _read(stream, _cuts(dice, len(stream))) == events
    log = [entry for event in events if (known := parse(event)) and (entry := _entry(known))]
    log = [entries.decode(entries.encode(entry)) for entry in log]
    reply = build_reply(Batch(0, len(log), tuple(log)))
    _check_html(reply.text)
    for text in (render(reply.text, "x"), reply.text, reply.sentence):
        _check_frame(text)


def a_document(dice: random.Random) -> None:
    """Render random Markdown, whole and while it is written."""
    text = words.markdown(dice)
    _check_html(text)
    _check_draft(dice, text)


def _check_draft(dice: random.Random, text: str) -> None:
    ends = sorted(dice.choices(range(len(text) + 1), k=dice.choice((1, 20, 100))))
    log = tuple(Delta(text[begin:end]) for begin, end in pairwise([0, *ends, len(text)]))
    draft = IncrementalRenderer("x")
    tags = Tags()
    for number in range(1, len(log) + 1):
        draft.read(Batch(0, number, log[:number]))
        for change in draft.next_patches():
            tags.feed(change.html)
    for change in draft.final_patches(render(text, "x")) or ():
        tags.feed(change.html)
    assert not tags.wrong, f"{tags.wrong} in {json.dumps(text)[:200]}"


def _read(stream: bytes, cuts: list[int]) -> list[sse.ServerSentEvent]:
    def chunks() -> Iterator[bytes]:
        begin = 0
        for end in cuts:
            yield stream[begin:end]
            begin = end

    events: list[sse.ServerSentEvent] = []
    try:
        events.extend(sse.read_events(chunks()))
    except sse.EventTooLarge:
        events.append(sse.ServerSentEvent("too large", ""))
    return events


def _cuts(dice: random.Random, length: int) -> list[int]:
    count = dice.choice((1, 3, 20, min(length, 1000)))
    return [*sorted(dice.randint(0, length) for _ in range(count)), length]


def _entry(event: twinapi.Event) -> Entry | None:
    match event:
        case twinapi.Progress(text, percent):
            return entries.Progress(text, percent)
        case twinapi.Delta(text):
            return Delta(text)
        case twinapi.Complete(text):
            return Ended(ReplyState.COMPLETE, text=text or "") if text else None
        case twinapi.Failed(sentence):
            return Ended(ReplyState.FAILED, sentence=sentence)
    return None


def _check_frame(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if lines.count("\n") < sse.MAX_EVENT_LINES // 2 and len(lines) < sse.MAX_EVENT_BYTES // 8:
        [event] = sse.read_events([sse.frame(text, event="x", id=7).encode()])
        assert event == sse.ServerSentEvent("x", lines)


def _check_html(text: str) -> None:
    tags = Tags()
    tags.feed(render(text, "x"))
    tags.close()
    assert not tags.wrong, f"{tags.wrong} in {json.dumps(text)[:200]}"
