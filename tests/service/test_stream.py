"""Replies that continue without a client, that are stopped, and that lock their conversation."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from core import sse
from core.server.process_load import ProcessLoad
from core.settings import load_settings
from service.app import create_service_app
from service.container import Container, get_container
from service.conversations.reply import Delta, Progress
from service.schema import messages
from tests.service.client import ApiClient
from tests.support.portals import serve
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from tests.support.waiting import wait_until

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
    service_settings: dict[str, Any], model: Upstream
):
    load = RecordedLoad()
    service = create_service_app(load_settings(service_settings), load=load)
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

    get_container(service).reply_manager.close()
    get_container(service).database.close()


@pytest.mark.spec("S24")
def test_message_during_a_running_reply_gets_409(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    events = api.stream(conversation, "Hello")
    assert next(events)["type"] == "progress"

    answer = api.post(f"/conversations/{conversation}/messages", json={"content": "Me too"})

    assert answer.status_code == 409
    assert answer.json()["code"] == "still_replying"
    url = answer.links["cancel"]["url"]
    assert f"stop it with DELETE {url}" in answer.json()["error"]
    assert api.get(url.removeprefix("/api/v1")).json()["data"]["content"] == "Hello"
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.reply("Done")
        assert rest.result(10)[-1]["type"] == "complete"
    assert len(api.get(f"/conversations/{conversation}/messages").json()["data"]) == 2


def test_reply_continues_after_its_client_disconnects(
    api: ApiClient, model: Upstream, container: Container
):
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages"
    response = api.post(f"{path}/stream", json={"content": "Hello"}, stream=True)
    call = model.next_call().start_stream()
    call.delta("Half")
    response.raw.read1(65536)
    response.close()
    call.delta(" and half")
    call.complete()

    wait_until(lambda: len(container.messages.list_page(conversation)[0]) == 2)
    model.always_reply("Yes")
    assert api.post(path, json={"content": "Next"}).status_code == 201
    history = api.get(path).json()["data"]
    assert [m["content"] for m in history] == ["Hello", "Half and half", "Next", "Yes"]
    assert {m["status"] for m in history} == {"complete"}


def test_stream_ends_for_a_client_that_disconnected(
    api: ApiClient, model: Upstream, container: Container
):
    events = api.stream(api.create_conversation(), "Hello")
    assert next(events)["type"] == "progress"
    model.next_call()
    [reply] = container.reply_manager._running.values()
    reply.disconnect_poll_seconds = reply.keepalive_seconds = 0.01
    follow = reply.follow(lambda: True)

    assert next(follow) == Progress("thinking")
    assert next(follow, "the end") == "the end"


def test_deltas_that_a_client_has_not_received_yet_are_sent_as_one(
    api: ApiClient, model: Upstream, container: Container
):
    events = api.stream(api.create_conversation(), "Hello")
    assert next(events)["type"] == "progress"
    model.next_call()
    [reply] = container.reply_manager._running.values()
    for text in ("a", "b"):
        reply.emit(Delta(text))
    follow = reply.follow(lambda: True)

    assert [next(follow), next(follow)] == [Progress("thinking"), Delta("ab")]


@pytest.mark.spec("S24")
def test_stopping_a_reply_aborts_the_model_and_frees_the_conversation(
    api: ApiClient, model: Upstream
):
    for half in (["Half"], []):
        conversation = api.create_conversation()
        path = f"/conversations/{conversation}/messages"
        response = api.post(f"{path}/stream", json={"content": "Hello"}, stream=True)
        events = (json.loads(event.data) for event in sse.read_events(api.chunks(response)))
        call = model.next_call()
        if half:
            call.start_stream().delta("Half")
            while next(events)["type"] != "delta":
                pass
        place = response.headers["Location"].removeprefix("/api/v1")

        assert api.delete(place).status_code == 204
        *_, last = events

        assert last == {"type": "error", "error": "The reply was stopped.", "code": "stopped"}
        assert not half or call.wait_for_disconnect()
        next_reply = api.stream(conversation, "Next")
        next(next_reply)
        model.reply("Yes")
        assert list(next_reply)[-1]["message"]["content"] == "Yes"
        history = [(m["content"], m["status"]) for m in api.get(path).json()["data"]]
        assert history == [
            ("Hello", "complete"),
            *((content, "incomplete") for content in half),
            ("Next", "complete"),
            ("Yes", "complete"),
        ]
        assert api.delete(place).status_code == 204


def test_reply_that_a_restart_ends_has_the_error_code_restarting(
    api: ApiClient, model: Upstream, container: Container
):
    """Clients may repeat a message after the code `restarting`, but not after `stopped`."""
    path = f"/conversations/{api.create_conversation()}/messages"
    streamed = api.stream(api.create_conversation(), "Hello")
    assert next(streamed)["type"] == "progress"
    model.next_call().start_stream().delta("Half")
    while next(streamed)["type"] != "delta":
        pass
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(api.post, path, json={"content": "Hello"})
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
    assert whole.status_code == 503
    assert whole.json() == RESTARTING
    assert whole.headers["Retry-After"] == "5"


def test_message_during_a_shutdown_is_not_sent_to_the_model(
    api: ApiClient, model: Upstream, container: Container
):
    path = f"/conversations/{api.create_conversation()}/messages"
    container.reply_manager.close()

    answer = api.post(path, json={"content": "Hello"})

    assert answer.status_code == 503
    assert answer.json() == RESTARTING
    assert answer.headers["Retry-After"] == "5"
    assert model.calls == []
    assert [message["content"] for message in api.get(path).json()["data"]] == ["Hello"]


def test_reply_is_stopped_only_by_its_owner_with_full_access(
    api: ApiClient, model: Upstream, url: str, container: Container
):
    conversation = api.create_conversation()
    response = api.post(
        f"/conversations/{conversation}/messages/stream", json={"content": "Hello"}, stream=True
    )
    place = response.headers["Location"].removeprefix("/api/v1")
    mallory = ApiClient(url, container.api_keys.create("mallory", "m", "full_access")[1])
    reader = ApiClient(url, container.api_keys.create("alice", "r", "read_only")[1])

    assert mallory.delete(place).status_code == 404
    assert reader.delete(place).status_code == 403
    assert api.delete(f"/conversations/{conversation}/messages/none").status_code == 404
    model.reply("Still here")
    *_, last = (json.loads(event.data) for event in sse.read_events(api.chunks(response)))
    assert last["message"]["content"] == "Still here"


def test_reply_that_cannot_be_stored_ends_with_an_error(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    events = api.stream(api.create_conversation(), "Hello")
    next(events)
    monkeypatch.setattr(container.messages, "store_reply", lambda *_: 1 / 0)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.reply("Hi")
        assert rest.result(10)[-1]["error"] == "The reply couldn't be saved."


def test_lease_of_a_long_reply_is_renewed(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    container.reply_manager.lease_keeper.renew_interval_seconds = 0.01
    renewed = threading.Event()
    renew = container.reply_manager.leases.renew

    def noted(message_ids: list[str]) -> None:
        renew(message_ids)
        if message_ids:
            renewed.set()

    monkeypatch.setattr(container.reply_manager.leases, "renew", noted)
    events = api.stream(api.create_conversation(), "Hello")
    next(events)
    assert renewed.wait(10)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.reply("Hi")
        assert rest.result(10)[-1]["type"] == "complete"


def test_deleted_conversation_is_gone_and_its_reply_stops(
    api: ApiClient, model: Upstream, url: str, container: Container
):
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}"
    api.post(f"{path}/messages", json={"content": "Hello"})
    del model.answers[CHAT_COMPLETIONS_PATH]
    events = api.stream(path.rpartition("/")[2], "Again")
    next(events)
    call = model.next_call().start_stream()
    mallory = ApiClient(url, container.api_keys.create("mallory", "m", "full_access")[1])
    reader = ApiClient(url, container.api_keys.create("alice", "r", "read_only")[1])

    assert mallory.delete(path).status_code == 404
    assert reader.delete(path).status_code == 403
    assert api.delete(path).status_code == 204

    assert [*events][-1]["code"] == "stopped"
    assert call.wait_for_disconnect()
    assert api.get(path).status_code == api.get(f"{path}/messages").status_code == 404
    assert api.delete(path).status_code == 404
    assert api.get("/conversations").json()["data"] == []
    with container.database.read() as connection:
        assert connection.execute(select(messages)).all() == []
    for client in (mallory, reader):
        client.session.close()
