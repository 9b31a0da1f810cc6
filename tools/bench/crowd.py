"""Waiting times of many people at once with the bundled model, compared with one person alone."""

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
from tests.support.processes import create_api_key, run_server

QUESTION = "How does a steam engine work?"


@dataclass
class ReplyTiming:
    """The timing of one reply, in seconds after sending."""

    first_event_seconds: float = 0
    first_delta_seconds: float = 0
    total_seconds: float = 0
    queue_positions: list[int] = field(default_factory=list)
    word_count: int = 0
    last_event_type: str = ""


def measure(people: int) -> dict[str, Any]:
    """Measure three questions of one person, then one question of each person at the same time.

    Each person has an API key.
    """
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), "-m", "service") as server,
        ThreadPoolExecutor(people) as pool,
    ):
        keys = [create_api_key(Path(data), f"person-{number}") for number in range(people)]
        solo_timings = [_ask_question(server.url, keys[0]) for _ in range(3)]
        started_at = time.monotonic()
        timings = list(pool.map(lambda key: _ask_question(server.url, key), keys))
        seconds = time.monotonic() - started_at
    solo_seconds = median(timing.total_seconds for timing in solo_timings)
    solo_first_seconds = median(timing.first_delta_seconds for timing in solo_timings)
    solo_rate = median(timing.word_count / timing.total_seconds for timing in solo_timings)
    return {
        "people": people,
        "answered": sum(timing.last_event_type == "complete" for timing in timings),
        "alone: first word, whole (s)": f"{solo_first_seconds:.2f}, {solo_seconds:.2f}",
        "first event, slowest (s)": f"{max(timing.first_event_seconds for timing in timings):.2f}",
        "first word, median, last (s)": _median_and_max(
            [timing.first_delta_seconds for timing in timings]
        ),
        "whole, median, last (s)": _median_and_max([timing.total_seconds for timing in timings]),
        "longest line": max(
            (max(timing.queue_positions, default=0) for timing in timings), default=0
        ),
        "words a second, all": f"{sum(timing.word_count for timing in timings) / seconds:.1f}",
        "words a second, alone": f"{solo_rate:.1f}",
        "last against one by one": f"{seconds / (solo_seconds * people):.2f}",
    }


def _median_and_max(seconds: list[float]) -> str:
    return f"{median(seconds):.1f}, {max(seconds):.1f}"


def _ask_question(url: str, key: str) -> ReplyTiming:
    timing = ReplyTiming()
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {key}"
    api = f"{url}/api/v1"
    conversation = session.post(f"{api}/conversations", json={"twinId": "ada"}, timeout=60).json()
    stream_url = f"{api}/conversations/{conversation['data']['id']}/messages/stream"
    sent_at = time.monotonic()
    with session.post(stream_url, json={"content": QUESTION}, stream=True, timeout=600) as response:
        for event in sse.read_events(iter(lambda: response.raw.read1(65536), b"")):
            payload, elapsed = json.loads(event.data), time.monotonic() - sent_at
            timing.first_event_seconds = timing.first_event_seconds or elapsed
            timing.last_event_type = payload["type"]
            match payload["type"]:
                case "progress":
                    timing.queue_positions.append(payload["progress"].get("ahead", 0))
                case "delta":
                    timing.first_delta_seconds = timing.first_delta_seconds or elapsed
                case "complete":
                    timing.word_count = len(payload["message"]["content"].split())
    timing.total_seconds = time.monotonic() - sent_at
    return timing
