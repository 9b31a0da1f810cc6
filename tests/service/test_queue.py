"""Replies that wait for the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.portals import serve
from tests.support.upstream import Call, Upstream
from twindow.service.container import get_container

QUEUED = {"type": "progress", "progress": {"stage": "queued", "percent": None, "ahead": 0}}
THINKING = {"type": "progress", "progress": {"stage": "thinking", "percent": None}}


@pytest.fixture
def service_settings(service_settings: dict[str, Any]) -> dict[str, Any]:
    return service_settings | {"model_parallel": 1}


def start_running_reply(
    api: ApiClient, model: Upstream
) -> tuple[str, Call, Iterator[dict[str, Any]]]:
    """Start a reply that occupies the only slot; return its conversation, model call and events."""
    conversation = api.create_conversation()
    events = api.stream(conversation, "First")
    assert next(events) == THINKING
    return conversation, model.next_call(), events


def stop(api: ApiClient, conversation: str) -> None:
    """Stop the reply to the first message of a conversation."""
    message_id = api.history(conversation)[0]["id"]
    path = f"/conversations/{conversation}/messages/{message_id}"
    assert api.delete(path).status_code == 204


@pytest.mark.spec("S24")
def test_reply_is_queued_until_a_slot_is_free_then_thinking_writing_and_complete(
    api: ApiClient, model: Upstream
):
    _, call, _ = start_running_reply(api, model)
    events = api.stream(api.create_conversation(), "Second")

    assert next(events) == QUEUED
    assert len(model.calls) == 1
    call.start_stream().complete()
    assert next(events) == THINKING
    model.reply("Hi")
    writing, *_, end = events
    assert writing["progress"]["stage"] == "writing"
    assert (end["type"], end["message"]["status"]) == ("complete", "complete")


def test_reply_that_is_stopped_while_queued_leaves_the_queue(
    api: ApiClient, model: Upstream, new_service: Callable[[], Flask], full_key: str
):
    _, call, _ = start_running_reply(api, model)
    conversation = api.create_conversation()
    events = api.stream(conversation, "Second")
    assert next(events) == QUEUED

    with serve(new_service()) as url:
        other = ApiClient(url, full_key)
        stop(other, conversation)  # another process runs the reply
        other.session.close()
    assert next(events)["code"] == "stopped"
    third = api.stream(api.create_conversation(), "Third")
    assert next(third)["progress"]["stage"] == "queued"
    call.start_stream().complete()
    while next(third) != THINKING:
        pass
    assert model.next_call().body["messages"][-1]["content"] == "Third"


def test_stopped_reply_keeps_its_slot_until_the_model_call_ends(api: ApiClient, model: Upstream):
    conversation, call, events = start_running_reply(api, model)
    stop(api, conversation)
    assert next(events)["code"] == "stopped"

    events = api.stream(api.create_conversation(), "Second")
    assert next(events) == QUEUED
    call.start_stream()
    assert call.wait_for_disconnect()
    assert next(events) == THINKING
    model.reply("Hi")


def test_slots_are_divided_among_the_workers(new_service: Callable[[], Flask], service_settings):
    slot_counts = {}
    for parallel, workers in ((1, 1), (4, 2), (5, 2), (2, 4)):
        service_settings |= {"model_parallel": parallel, "workers": workers}
        slot_counts[parallel, workers] = get_container(
            new_service()
        ).reply_manager.queue._free_slots

    assert slot_counts == {(1, 1): 1, (4, 2): 2, (5, 2): 3, (2, 4): 1}
