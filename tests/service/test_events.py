"""Events of a reply stream: types, fields and order, and that nothing else is sent."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from core import sse
from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream

THINKING = {"type": "progress", "progress": {"stage": "thinking", "percent": None}}
WRITING = {"type": "progress", "progress": {"stage": "writing", "percent": None}}


def begin(api: ApiClient) -> Any:
    path = f"/conversations/{api.create_conversation()}/messages/stream"
    return api.post(path, json={"content": "Hello"}, stream=True)


def lines(response: Any) -> Iterator[str]:
    return (line.decode() for line in response.iter_lines(1))


def joined(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with consecutive deltas as one, however they were sent."""
    result: list[dict[str, Any]] = []
    for event in events:
        if event["type"] == "delta" and result and result[-1]["type"] == "delta":
            result[-1] = {"type": "delta", "content": result[-1]["content"] + event["content"]}
        else:
            result.append(event)
    return result


@pytest.mark.spec("S55", "S78", "S79", "S80", "S84")
def test_reply_stream_has_progress_events_then_deltas_then_one_complete_event(
    api: ApiClient, model: Upstream
):
    events = api.stream(conversation := api.create_conversation(), "Hello")
    first = next(events)
    model.reply("Hi ", "there")
    *rest, complete = events

    assert joined([first, *rest]) == [THINKING, WRITING, {"type": "delta", "content": "Hi there"}]
    assert complete["type"] == "complete"
    assert complete["message"]["content"] == "Hi there"
    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert history[-1] == complete["message"]


@pytest.mark.spec("S76")
def test_each_event_is_sent_without_delay(api: ApiClient, model: Upstream):
    response = begin(api)
    events = sse.read_events(api.chunks(response))
    assert json.loads(next(events).data) == THINKING
    call = model.next_call().start_stream()
    for piece in ("Hi ", "there"):
        call.delta(piece)
        while (event := json.loads(next(events).data)) == WRITING:
            pass
        assert event == {"type": "delta", "content": piece}
    call.complete()

    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store, no-transform"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert json.loads(next(events).data)["type"] == "complete"


FIELDS = {
    "progress": {"progress": dict},
    "delta": {"content": str},
    "complete": {"message": dict, "cutOff": bool, "usage": type(None)},
    "error": {"error": str, "code": str},
}


@pytest.mark.spec("S77", "S80", "S81", "S82", "S83")
def test_each_event_is_one_line_of_json_and_the_end_event_is_last(api: ApiClient, model: Upstream):
    for kind in ("complete", "error"):
        if kind == "complete":
            model.always_reply("One\n\ndata: two", "\r\nthree 👩‍🔬")
        else:
            model.answers[CHAT_COMPLETIONS_PATH] = 500, {}
        body = begin(api).content.decode().replace("retry: 2147483647\n", "")
        frames = body.removesuffix("\n\n").split("\n\n")

        assert [frame for frame in frames if not re.fullmatch("data: .*", frame)] == []
        events = [json.loads(frame.removeprefix("data: ")) for frame in frames]
        kinds = [event.pop("type") for event in events]
        assert [number for number, k in enumerate(kinds) if k in {"complete", "error"}] == [
            len(kinds) - 1
        ]
        assert kinds[-1] == kind
        for event, name in zip(events, kinds, strict=True):
            assert {field: type(value) for field, value in event.items()} == FIELDS[name]
        stages = {event["progress"]["stage"] for event in events if "progress" in event}
        assert stages <= {"thinking", "writing"}
        if kind == "complete":
            assert events[-1]["message"]["role"] == "assistant"


def test_stream_prevents_event_sources_from_resending_the_message(api: ApiClient, model: Upstream):
    model.always_reply("Hi ", "there")
    frames = begin(api).content.decode().removesuffix("\n\n").split("\n\n")

    told = [frame.startswith("retry: 2147483647\ndata: ") for frame in frames]
    assert told == [True, *[False] * (len(frames) - 2), True]


@pytest.mark.spec("S84")
def test_deltas_are_not_empty_and_add_up_to_the_text_of_the_model(api: ApiClient, model: Upstream):
    for pieces in (["Hi"], ["H", "", "i", "\n", "  "], ["", " "], [""]):
        model.always_reply(*pieces)

        *before, end = api.stream(api.create_conversation(), "Hello")

        written = "".join(pieces) if "".join(pieces).strip() else ""
        assert {"type": "delta", "content": ""} not in before
        delta = {"type": "delta", "content": written}
        assert joined(before) == [THINKING, *([WRITING, delta] if written else [])]
        if written:
            assert end["message"]["content"] == written
        else:
            nothing = {"error": "The model returned an empty reply.", "code": "model_failed"}
            assert end == {"type": "error"} | nothing


@pytest.mark.spec("S84")
def test_progress_and_keep_alives_are_repeated_while_the_model_is_silent(
    api: ApiClient, model: Upstream, container: Container
):
    stream_lines = lines(begin(api))
    call = model.next_call()
    [reply] = container.reply_manager._running.values()
    reply.keepalive_seconds = reply.disconnect_poll_seconds = 0.01

    assert next(stream_lines) == "retry: 2147483647"
    seen = [next(stream_lines) for _ in range(8)]
    assert seen[:2] == [f"data: {json.dumps(THINKING, separators=(',', ':'))}", ""]
    assert seen[2:] == [": keep-alive", "", *seen[:2], ": keep-alive", ""]
    call.start_stream().delta("Hi")
    while "delta" not in next(stream_lines):
        pass
    assert [line for line in (next(stream_lines) for _ in range(6)) if line] == [": keep-alive"] * 3
    call.complete()


@pytest.mark.spec("S85")
def test_service_connects_only_to_its_model_server(
    api: ApiClient, model: Upstream, monkeypatch: pytest.MonkeyPatch
):
    spoken_to = set()
    connect = socket.socket.connect

    def noted(self: socket.socket, address: Any) -> None:
        spoken_to.add(f"http://{address[0]}:{address[1]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    model.always_reply("Hi")
    assert list(api.stream(api.create_conversation(), "Hello"))[-1]["type"] == "complete"

    assert spoken_to == {api.url.removesuffix("/api/v1"), model.url}
    assert "webhooks" not in api.get("/openapi.json").json()
