"""Replies that continue without a client, that are stopped, and that lock their conversation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.portals import serve
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.server.process_load import ProcessLoad
from twindow.service.container import Container, get_container

RESTARTING = {
    "error": "The service is restarting. Try again in a few seconds.",
    "code": "restarting",
    "details": [],
}


class RecordedLoad(ProcessLoad):
    """A load that records whether it is measured, and whether a reader asks how long to pause."""

    def __init__(self) -> None:
        self.is_measured, self.is_pause_requested = threading.Event(), threading.Event()
        super().__init__(sleep=lambda _: self.is_measured.set())

    def pause_seconds(self) -> float:
        """Never pause."""
        self.is_pause_requested.set()
        return 0


def test_service_measures_the_lag_and_pauses_while_a_reply_runs(
    new_service: Callable[..., Flask], model: Upstream
):
    load = RecordedLoad()
    service = new_service(load)
    key = get_container(service).api_keys.create("alice", "test", "full_access")[1]
    with serve(service) as url:
        api = ApiClient(url, key)
        events = api.stream(api.create_conversation(), "Hello")
        next(events)
        call = model.next_call().start_stream()
        call.delta("Hi")
        assert load.is_measured.wait(5)
        assert load.is_pause_requested.wait(5)
        call.complete()
        list(events)
        api.session.close()


@pytest.mark.spec("S24")
def test_message_during_a_running_reply_gets_409_and_the_url_to_stop_it(
    api: ApiClient, model: Upstream
):
    conversation = api.create_conversation()
    events = api.stream(conversation, "Hello")
    assert next(events)["type"] == "progress"

    answer = api.send(conversation, "Me too")

    assert (answer.status_code, answer.json()["code"]) == (409, "still_replying")
    url = answer.links["cancel"]["url"]
    assert f"stop it with DELETE {url}" in answer.json()["error"]
    assert api.get(url.removeprefix("/api/v1")).json()["data"]["content"] == "Hello"
    model.reply("Done")
    assert list(events)[-1]["type"] == "complete"
    assert [message["content"] for message in api.history(conversation)] == ["Hello", "Done"]


def test_reply_continues_after_its_client_disconnects(
    api: ApiClient, model: Upstream, container: Container
):
    conversation = api.create_conversation()
    response = api.begin_stream(conversation)
    call = model.next_call().start_stream()
    call.delta("Half")
    response.raw.read1(65536)
    response.close()
    call.delta(" and half")
    call.complete()

    wait_until(lambda: len(container.messages.list_page(conversation)[0]) == 2)
    model.always_reply("Yes")
    assert api.send(conversation, "Next").status_code == 201
    history = api.history(conversation)
    assert [m["content"] for m in history] == ["Hello", "Half and half", "Next", "Yes"]
    assert {m["status"] for m in history} == {"complete"}


@pytest.mark.spec("S24")
@pytest.mark.parametrize("half", [["Half"], []], ids=["after text", "before any text"])
def test_stopping_a_reply_aborts_the_model_and_frees_the_conversation(
    api: ApiClient, model: Upstream, half: list[str]
):
    conversation = api.create_conversation()
    response = api.begin_stream(conversation)
    events = api.events(response)
    call = model.next_call()
    if half:
        call.start_stream().delta("Half")
        while next(events)["type"] != "delta":
            pass
    place = response.headers["Location"].removeprefix("/api/v1")

    assert api.delete(place).status_code == 204

    assert [*events][-1] == {"type": "error", "error": "The reply was stopped.", "code": "stopped"}
    assert not half or call.wait_for_disconnect()
    next_reply = api.stream(conversation, "Next")
    next(next_reply)
    model.reply("Yes")
    assert list(next_reply)[-1]["message"]["content"] == "Yes"
    history = [(message["content"], message["status"]) for message in api.history(conversation)]
    stopped = [(text, "incomplete") for text in half]
    assert history[:-2] == [("Hello", "complete"), *stopped]
    assert history[-2:] == [("Next", "complete"), ("Yes", "complete")]


def test_reply_that_a_restart_ends_has_the_error_code_restarting(
    api: ApiClient, model: Upstream, container: Container
):
    """Clients may repeat a message after the code `restarting`, but not after `stopped`."""
    conversation = api.create_conversation()
    streamed = api.stream(api.create_conversation(), "Hello")
    assert next(streamed)["type"] == "progress"
    model.next_call().start_stream().delta("Half")
    while next(streamed)["type"] != "delta":
        pass
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(api.send, conversation)
        model.next_call()
        container.reply_manager.close()
        whole = sent.result(10)

    [event] = streamed
    assert event == {
        "type": "error",
        "error": "The service is restarting. The text so far has been saved.",
        "code": "restarting",
        "retryAfter": 5,
    }
    assert (whole.status_code, whole.json()) == (503, RESTARTING)
    assert whole.headers["Retry-After"] == "5"


def test_message_during_a_shutdown_is_not_sent_to_the_model(
    api: ApiClient, model: Upstream, container: Container
):
    conversation = api.create_conversation()
    container.reply_manager.close()

    answer = api.send(conversation)

    assert (answer.status_code, answer.json()) == (503, RESTARTING)
    assert answer.headers["Retry-After"] == "5"
    assert model.calls == []
    assert [message["content"] for message in api.history(conversation)] == ["Hello"]


def test_reply_being_stored_at_shutdown_is_not_lost(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    store, begun, go = container.messages.store_reply, threading.Event(), threading.Event()

    def slowly(*arguments: object, **more: object) -> object:
        begun.set()
        go.wait(10)
        return store(*arguments, **more)

    monkeypatch.setattr(container.messages, "store_reply", slowly)
    conversation_id = api.create_conversation()
    with ThreadPoolExecutor(2) as pool:
        events = pool.submit(list, api.stream(conversation_id, "Hello"))
        model.reply("Not lost")
        assert begun.wait(10)
        closing = pool.submit(container.reply_manager.close)
        go.set()
        closing.result(10)
        kept = container.messages.list_page(conversation_id)[0][-1]
        events.result(10)

    assert (kept.content, kept.complete) == ("Not lost", True)


def test_reply_that_ends_during_a_database_outage_is_stored_afterwards(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    store, refused = container.messages.store_reply, []

    def away(*arguments: object, **more: object) -> object:
        if len(refused) < 3:
            refused.append(arguments)
            raise DatabaseUnavailable
        return store(*arguments, **more)

    monkeypatch.setattr(container.messages, "store_reply", away)
    model.always_reply("Not lost")

    *_, end = api.stream(api.create_conversation(), "Hello")

    assert end["message"]["content"] == "Not lost"
    assert len(refused) == 3


def test_reply_that_cannot_be_stored_ends_with_an_error(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(container.messages, "store_reply", lambda *_: 1 / 0)
    model.always_reply("Hi")

    *_, end = api.stream(api.create_conversation(), "Hello")

    assert end["error"] == "The reply couldn't be saved."


def test_lease_of_a_long_reply_is_renewed(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    container.reply_manager.lease_keeper.renew_interval_seconds = 0.01
    renewed = threading.Event()
    renew = container.reply_manager.leases.renew

    def noted(lease_ids: list[str]) -> None:
        renew(lease_ids)
        if lease_ids:
            renewed.set()

    monkeypatch.setattr(container.reply_manager.leases, "renew", noted)
    events = api.stream(api.create_conversation(), "Hello")
    next(events)
    assert renewed.wait(10)
    model.reply("Hi")
    assert list(events)[-1]["type"] == "complete"
