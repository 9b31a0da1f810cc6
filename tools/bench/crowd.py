"""Many people at once before the bundled model: what they wait for, against one person alone."""

from __future__ import annotations

import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import requests

from core import sse
from tests.support.processes import new_key, running

QUESTION = "How does a steam engine work?"


@dataclass
class Heard:
    """What one person heard, in seconds after sending."""

    begun: float = 0
    first_word: float = 0
    whole: float = 0
    ahead: list[int] = field(default_factory=list)
    words: int = 0
    end: str = ""


def crowd(people: int) -> dict[str, Any]:
    """Let one person ask three times, then so many at once, each with a key of their own."""
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), "-m", "service") as server,
        ThreadPoolExecutor(people) as pool,
    ):
        keys = [new_key(Path(data), f"person-{number}") for number in range(people)]
        alone = [_ask(server.url, keys[0]) for _ in range(3)]
        begun = time.monotonic()
        heard = list(pool.map(lambda key: _ask(server.url, key), keys))
        seconds = time.monotonic() - begun
    one = median(h.whole for h in alone)
    return {
        "people": people,
        "answered": sum(h.end == "complete" for h in heard),
        "alone: first word, whole (s)": f"{median(h.first_word for h in alone):.2f}, {one:.2f}",
        "first event, slowest (s)": f"{max(h.begun for h in heard):.2f}",
        "first word, median, last (s)": _two([h.first_word for h in heard]),
        "whole, median, last (s)": _two([h.whole for h in heard]),
        "longest line": max((max(h.ahead, default=0) for h in heard), default=0),
        "words a second, all": f"{sum(h.words for h in heard) / seconds:.1f}",
        "words a second, alone": f"{median(h.words / h.whole for h in alone):.1f}",
        "last against one by one": f"{seconds / (one * people):.2f}",
    }


def _two(seconds: list[float]) -> str:
    return f"{median(seconds):.1f}, {max(seconds):.1f}"


def _ask(url: str, key: str) -> Heard:
    heard = Heard()
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {key}"
    api = f"{url}/api/v1"
    made = session.post(f"{api}/conversations", json={"twinId": "ada"}, timeout=60).json()
    address = f"{api}/conversations/{made['data']['id']}/messages/stream"
    sent = time.monotonic()
    with session.post(address, json={"content": QUESTION}, stream=True, timeout=600) as answer:
        for event in sse.read_events(iter(lambda: answer.raw.read1(65536), b"")):
            told, now = json.loads(event.data), time.monotonic() - sent
            heard.begun = heard.begun or now
            heard.end = told["type"]
            match told["type"]:
                case "progress":
                    heard.ahead.append(told["progress"].get("ahead", 0))
                case "delta":
                    heard.first_word = heard.first_word or now
                case "complete":
                    heard.words = len(told["message"]["content"].split())
    heard.whole = time.monotonic() - sent
    return heard
