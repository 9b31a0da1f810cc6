"""Replies that wait for the model, in two processes of the service."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from service.container import Container
from tests.service.client import ApiClient
from tests.support.portals import serve
from tests.support.upstream import Call, Upstream

QUEUED = {"type": "progress", "progress": {"stage": "queued", "percent": None, "ahead": 0}}
THINKING = {"type": "progress", "progress": {"stage": "thinking", "percent": None}}


@pytest.fixture
def service_settings(service_settings: dict[str, Any]) -> dict[str, Any]:
    return service_settings | {"model_parallel": 1}


@pytest.fixture
def other(service: Flask, new_service: Callable[[], Flask], full_key: str) -> Iterator[ApiClient]:
    """Return a client of a second process of the service."""
    with serve(new_service()) as url:
        api = ApiClient(url, full_key)
        yield api
        api.session.close()


def start_running_reply(
    api: ApiClient, model: Upstream
) -> tuple[str, Call, Iterator[dict[str, Any]]]:
    """Start a reply that has the slot; return its conversation, model call and events."""
    conversation = api.create_conversation()
    events = api.stream(conversation, "First")
    assert next(events) == THINKING
    return conversation, model.next_call(), events


def stop(api: ApiClient, conversation: str) -> None:
    """Stop the reply to the first message of a conversation."""
    path = f"/conversations/{conversation}/messages"
    said = api.get(path).json()["data"][0]["id"]
    assert api.delete(f"{path}/{said}").status_code == 204


def test_reply_waits_for_a_reply_of_another_process(
    api: ApiClient, model: Upstream, other: ApiClient
):
    _, call, _ = start_running_reply(api, model)
    events = other.stream(other.create_conversation(), "Second")

    assert next(events) == QUEUED
    assert len(model.calls) == 1
    call.start_stream().complete()
    assert next(events) == THINKING
    model.reply("Hi")
    assert list(events)[-1]["type"] == "complete"


def test_reply_that_is_stopped_while_queued_leaves_the_queue(
    api: ApiClient, model: Upstream, other: ApiClient
):
    _, call, _ = start_running_reply(api, model)
    conversation = other.create_conversation()
    events = other.stream(conversation, "Second")
    assert next(events) == QUEUED

    stop(api, conversation)  # through the process that does not run this reply
    assert next(events)["code"] == "stopped"
    third = other.stream(other.create_conversation(), "Third")
    assert next(third)["progress"]["stage"] == "queued"
    call.start_stream().complete()
    while next(third) != THINKING:
        pass
    assert model.next_call().body["messages"][-1]["content"] == "Third"


def test_stopped_reply_keeps_its_slot_until_the_model_call_ends(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    container.replies.lease_keeper.renew_interval_seconds = 0.01
    assert container.replies.queue
    places = container.replies.queue.slots
    renewed = threading.Semaphore(0)
    renew = places.renew

    def noted() -> None:
        renew()
        renewed.release()

    conversation, call, events = start_running_reply(api, model)
    stop(api, conversation)
    assert next(events)["code"] == "stopped"
    monkeypatch.setattr(places, "renew", noted)

    # The first renewal may belong to a pass that began while the reply was still running.
    for _ in range(2):
        assert renewed.acquire(timeout=10)
    events = api.stream(api.create_conversation(), "Second")
    assert next(events) == QUEUED
    call.start_stream()
    assert call.wait_for_disconnect()
    assert next(events) == THINKING
    model.reply("Hi")
