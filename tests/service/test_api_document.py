"""The stream and the client that docs/api.md shows as examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from textwrap import dedent

import msgspec

from tests.service.client import ApiClient
from tests.support.upstream import Call, Upstream
from tests.support.upstream_server import run_upstream
from twindow.paths import ROOT
from twindow.service.api import schemas

DOCUMENT = (ROOT / "docs/api.md").read_text()


def test_documented_stream_is_what_the_service_writes():
    lines = re.findall(r"^    data: (.*)$", DOCUMENT, re.MULTILINE)
    events = [msgspec.json.decode(line, type=schemas.Event) for line in lines]

    assert [msgspec.json.encode(event).decode() for event in events] == lines
    stages = [e.progress.stage for e in events if isinstance(e, schemas.Progress)]
    assert stages == ["queued", "thinking", "writing"]
    told = "".join(e.content for e in events if isinstance(e, schemas.Delta))
    whole, error = events[-2:]
    assert isinstance(whole, schemas.Complete)
    assert isinstance(error, schemas.Error)
    assert told == whole.message.content


def test_documented_client_prints_a_reply_without_deltas(processes: None, url: str, full_key: str):
    with run_upstream() as repeated:
        repeated.answers["/api/v1/conversations"] = 201, {"data": {"id": "one"}}
        repeated.answers["/api/v1/conversations/one/messages/stream"] = only_the_end

        assert run_the_example(f"{repeated.url}/api/v1", full_key) == "Hello again.\n"


def test_documented_client_prints_each_delta_once(
    processes: None, api: ApiClient, model: Upstream, full_key: str
):
    model.always_reply("Hi ", "there")

    assert run_the_example(api.url, full_key) == "Hi there"


def only_the_end(call: Call) -> None:
    call.start_stream()
    call.complete("Hello again.")


def run_the_example(api: str, key: str) -> str:
    block = re.search(r"^    import json.*\n(?:    .*\n|\n(?=    ))+", DOCUMENT, re.MULTILINE)
    assert block
    done = subprocess.run(
        [sys.executable, "-c", dedent(block[0])],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
        env=os.environ | {"API": api, "KEY": key, "NO_PROXY": "*"},
    )
    return done.stdout
