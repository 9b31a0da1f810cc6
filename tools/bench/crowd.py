"""Waiting times of many people at once with the bundled model, compared with one person alone."""

from __future__ import annotations

import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import requests

from core import sse
from tests.support.processes import create_api_key, run_server
from tools.bench.table import Row, ratio

MESSAGE = "a steam engine and a river"


@dataclass
class ReplyTiming:
    """The timing of one reply, in seconds after sending."""

    first_event_seconds: float = 0
    first_delta_seconds: float = 0
    total_seconds: float = 0
    longest_queue: int = 0
    word_count: int = 0


def measure(people: int) -> Row:
    """Measure three messages of one person, then one message of each person at the same time.

    Each person has an API key.
    """
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), "-m", "service") as server,
        ThreadPoolExecutor(people) as pool,
    ):
        keys = [create_api_key(Path(data), f"person-{number}") for number in range(people)]
        alone = [_send_message(server.url, keys[0]) for _ in range(3)]
        started_at = time.monotonic()
        timings = list(pool.map(lambda key: _send_message(server.url, key), keys))
        seconds = time.monotonic() - started_at
    alone_first = median(timing.first_delta_seconds for timing in alone)
    alone_total = median(timing.total_seconds for timing in alone)
    alone_rate = median(timing.word_count / timing.total_seconds for timing in alone)
    first, total = (
        [getattr(timing, name) for timing in timings]
        for name in ("first_delta_seconds", "total_seconds")
    )
    return {
        "people": people,
        "answered": sum(timing.word_count > 0 for timing in timings),
        "alone: first word, whole (s)": f"{alone_first:.2f}, {alone_total:.2f}",
        "first event, slowest (s)": max(timing.first_event_seconds for timing in timings),
        "first word, median, last (s)": f"{median(first):.1f}, {max(first):.1f}",
        "whole, median, last (s)": f"{median(total):.1f}, {max(total):.1f}",
        "longest line": max(timing.longest_queue for timing in timings),
        "words a second, all": sum(timing.word_count for timing in timings) / seconds,
        "words a second, alone": alone_rate,
        "last against one by one": ratio(seconds, alone_total * people),
    }


def _send_message(url: str, key: str) -> ReplyTiming:
    timing = ReplyTiming()
    api = f"{url}/api/v1/conversations"
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {key}"
        conversation = session.post(api, json={"twinId": "fable"}, timeout=60).json()["data"]
        sent_at = time.monotonic()
        response = session.post(
            f"{api}/{conversation['id']}/messages/stream",
            json={"content": MESSAGE},
            stream=True,
            timeout=600,
        )
        for event in sse.read_events(iter(lambda: response.raw.read1(65536), b"")):
            payload, elapsed = json.loads(event.data), time.monotonic() - sent_at
            timing.first_event_seconds = timing.first_event_seconds or elapsed
            match payload["type"]:
                case "progress":
                    queue = payload["progress"].get("ahead", 0)
                    timing.longest_queue = max(timing.longest_queue, queue)
                case "delta":
                    timing.first_delta_seconds = timing.first_delta_seconds or elapsed
                case "complete":
                    timing.word_count = len(payload["message"]["content"].split())
    timing.total_seconds = time.monotonic() - sent_at
    return timing
