"""The stream of a reply (endpoint 6): its events, their order, and that nothing else is sent."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.service.client import ApiClient
from tests.service.conftest import TWIN
from tests.support.clock import AdjustableClock
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from twindow.service.container import Container
from twindow.service.conversations.messages import Message
from twindow.service.conversations.reply import Delta, Progress, Reply
from twindow.service.twins.parser import parse

THINKING = {"type": "progress", "progress": {"stage": "thinking", "percent": None}}
WRITING = {"type": "progress", "progress": {"stage": "writing", "percent": None}}
NEVER_RECONNECT = "retry: 2147483647"


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
def test_stream_has_progress_then_deltas_with_the_text_of_the_model_then_its_end(
    api: ApiClient, model: Upstream
):
    for pieces in (["Hi"], ["H", "", "i", "\n", "  "], ["", " "], [""]):
        model.always_reply(*pieces)

        *before, end = api.stream(api.create_conversation(), "Hello")

        text = "".join(pieces)
        assert {"type": "delta", "content": ""} not in before
        if text.strip():
            assert joined(before) == [THINKING, WRITING, {"type": "delta", "content": text}]
            assert (end["type"], end["message"]["content"]) == ("complete", text)
        else:
            nothing = {"error": "The model returned an empty reply.", "code": "model_failed"}
            assert [*before, end] == [THINKING, {"type": "error"} | nothing]


@pytest.mark.spec("S76")
def test_each_event_is_sent_without_delay(api: ApiClient, model: Upstream):
    response = api.begin_stream(api.create_conversation())
    events = api.events(response)
    assert next(events) == THINKING
    call = model.next_call().start_stream()
    for piece in ("Hi ", "there"):
        call.delta(piece)
        while (event := next(events)) == WRITING:
            pass
        assert event == {"type": "delta", "content": piece}
    call.complete()

    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store, no-transform"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert next(events)["type"] == "complete"


FIELDS = {
    "progress": {"progress": dict},
    "delta": {"content": str},
    "complete": {"message": dict, "cutOff": bool, "usage": type(None)},
    "error": {"error": str, "code": str},
}


@pytest.mark.spec("S77", "S80", "S81", "S82", "S83", "S86")
@pytest.mark.parametrize("end", ["complete", "error"])
def test_each_event_is_one_line_of_json_and_the_end_event_is_last(
    api: ApiClient, model: Upstream, end: str
):
    if end == "complete":
        model.always_reply("One\n\ndata: two", "\r\nthree 👩‍🔬")
    else:
        model.answers[CHAT_COMPLETIONS_PATH] = 500, {"error": "secret detail /home/x"}
    body = api.begin_stream(api.create_conversation()).content.decode()
    frames = body.removesuffix("\n\n").replace(f"{NEVER_RECONNECT}\n", "").split("\n\n")

    assert [frame for frame in frames if not re.fullmatch("data: .*", frame)] == []
    events = [json.loads(frame.removeprefix("data: ")) for frame in frames]
    kinds = [event.pop("type") for event in events]
    assert [kind for kind in kinds if kind in {"complete", "error"}] == [kinds[-1]] == [end]
    for event, kind in zip(events, kinds, strict=True):
        assert {field: type(value) for field, value in event.items()} == FIELDS[kind]
    assert "secret" not in body


@pytest.mark.spec("S77")
def test_stream_prevents_event_sources_from_resending_the_message(api: ApiClient, model: Upstream):
    model.always_reply("Hi ", "there")
    body = api.begin_stream(api.create_conversation()).content.decode()
    frames = body.removesuffix("\n\n").split("\n\n")

    told = [frame.startswith(f"{NEVER_RECONNECT}\ndata: ") for frame in frames]
    assert told == [True, *[False] * (len(frames) - 2), True]


@pytest.mark.spec("S84")
def test_progress_and_keep_alives_are_repeated_while_the_model_is_silent(
    api: ApiClient, model: Upstream, container: Container
):
    stream_lines = lines(api.begin_stream(api.create_conversation()))
    call = model.next_call()
    [reply] = container.reply_manager._running.values()
    reply.keepalive_seconds = reply.disconnect_poll_seconds = 0.01

    assert next(stream_lines) == NEVER_RECONNECT
    seen = [next(stream_lines) for _ in range(8)]
    assert seen[:2] == [f"data: {json.dumps(THINKING, separators=(',', ':'))}", ""]
    assert seen[2:] == [": keep-alive", "", *seen[:2], ": keep-alive", ""]
    call.start_stream().delta("Hi")
    while "delta" not in next(stream_lines):
        pass
    assert [line for line in (next(stream_lines) for _ in range(6)) if line] == [": keep-alive"] * 3
    call.complete()


def lines(response: requests.Response) -> Iterator[str]:
    return (line.decode() for line in response.iter_lines(1))


@pytest.fixture
def reply(clock: AdjustableClock) -> Reply:
    """Return a reply that has just begun."""
    message = Message("message", "c", "user", "Hello", None, 1.0)
    reply = Reply(message, "lease", parse("ada", TWIN, 1.0), clock)
    reply.emit(Progress("thinking"))
    return reply


def test_stream_ends_for_a_client_that_disconnected(reply: Reply):
    reply.disconnect_poll_seconds = 0.01

    assert list(reply.follow(lambda: True)) == [Progress("thinking")]


def test_deltas_that_a_client_has_not_received_yet_are_sent_as_one(reply: Reply):
    for text in ("a", "b"):
        reply.emit(Delta(text))
    follow = reply.follow(lambda: True)

    assert [next(follow), next(follow)] == [Progress("thinking"), Delta("ab")]


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
