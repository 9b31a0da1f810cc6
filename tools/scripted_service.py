"""A scripted service in a separate process: it outlives the portal and records the messages.

A message contains the instructions for its reply. `n=200 gap=0.05 tag=x` streams x:0 to x:199,
`text=` selects another text, and `end=` an end other than complete.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from urllib.parse import unquote

import requests

from tests.support.upstream import TWINS, Call
from tests.support.upstream_server import run_upstream
from tools.bench.texts import make_deltas
from twindow.paths import ROOT

RECORDS_PATH = "/records"


@dataclass
class Record:
    """A received message: how often it arrived, and when (Unix time) its deltas were sent."""

    count: int = 0
    sent_times: list[float] = field(default_factory=list)
    is_over: bool = False


@dataclass(frozen=True)
class ScriptedService:
    """The scripted service, as its clients see it."""

    url: str

    def received_messages(self, substring: str = "") -> dict[str, Record]:
        """Return the records of the messages that contain `substring`."""
        response = requests.get(f"{self.url}{RECORDS_PATH}?{substring}", timeout=30)
        return {content: Record(**record) for content, record in response.json().items()}


@contextmanager
def run_scripted_service() -> Iterator[ScriptedService]:
    """Run the scripted service."""
    with subprocess.Popen(
        [sys.executable, "-m", "tools.scripted_service"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield ScriptedService(process.stdout.readline().strip())
        process.stdin.close()


def make_message(n: int, tag: str, *, gap: float = 0.0, **instructions: str) -> str:
    """Return a message with the instructions for its reply."""
    others = (f" {name}={value}" for name, value in instructions.items())
    return f"n={n} gap={gap:.3f} tag={tag}" + "".join(others)


def parse_instructions(content: str) -> dict[str, str]:
    """Return the instructions in a message."""
    return dict(word.split("=", 1) for word in content.split() if "=" in word)


def _answer_message(records: dict[str, Record], call: Call) -> None:
    content = call.body["content"]
    record = records.setdefault(content, Record())
    record.count += 1
    try:
        _send_reply(call, record, parse_instructions(content))
    finally:
        record.is_over = True


def _send_reply(call: Call, record: Record, instructions: dict[str, str]) -> None:
    end = instructions.get("end", "complete")
    if end.isdigit():
        call.respond(int(end), {"error": "Not now."}, retry_after="1")
        return
    count, tag = int(instructions.get("n", "1")), instructions.get("tag", "")
    deltas = make_deltas(instructions.get("text", ""), count, tag)
    call.start_stream()
    started_at, gap = time.monotonic(), float(instructions.get("gap", "0"))
    for number, delta in enumerate(deltas):
        time.sleep(max(0.0, started_at + number * gap - time.monotonic()))
        call.delta(delta)
        record.sent_times.append(time.time())
    if end == "reset":
        call.reset()
    elif end == "error":
        call.send_event(type="error", error="The twin is tired.")
    elif end == "complete":
        call.complete()


def _send_records(records: dict[str, Record], call: Call) -> None:
    substring = unquote(call.path.partition("?")[2])
    selected = {content: asdict(r) for content, r in list(records.items()) if substring in content}
    call.respond(200, selected)


def main() -> None:
    """Serve until standard input ends, so that the process cannot outlive its parent."""
    records: dict[str, Record] = {}
    with run_upstream() as upstream:
        upstream.twins = TWINS[:1]
        upstream.message_answer = partial(_answer_message, records)
        upstream.answers[RECORDS_PATH] = partial(_send_records, records)
        print(upstream.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
