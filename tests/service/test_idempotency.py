"""Idempotency-Key: repeated requests with one key create one message and one reply."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from service.container import Container
from service.idempotency import IDEMPOTENCY_KEY_SECONDS, make_idempotency_key
from service.schema import idempotency_keys
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import Upstream

ONCE = {"Idempotency-Key": '"press-1"'}


def send(api: ApiClient, conversation: str, content: str = "Hello", **headers: str):
    return api.post(
        f"/conversations/{conversation}/messages",
        json={"content": content},
        headers=api.headers | (headers or ONCE),
    )


def test_repeated_request_returns_the_first_reply(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, api, conversation)
        model.reply("Hi")
        answer = first.result(10)

    again = send(api, conversation, **{"Idempotency-Key": "press-1"})
    streamed = list(api.stream(conversation, "Hello", headers=ONCE))

    assert answer.status_code == again.status_code == 201
    assert again.json() == answer.json()
    whole = {"type": "complete", "message": answer.json()["data"], "cutOff": False}
    whole |= {"usage": None}
    assert streamed == [whole]
    assert len(api.get(f"/conversations/{conversation}/messages").json()["data"]) == 2
    assert len(model.calls) == 1


def test_repeated_request_during_a_reply_streams_it_from_the_start(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(list, api.stream(conversation, "Hello", headers=ONCE))
        call = model.next_call().start_stream()
        call.delta("Hi")
        second = api.stream(conversation, "Hello", headers=ONCE)
        seen = [next(second) for _ in range(3)]
        call.delta(" there")
        call.complete()
        rest = list(second)

    assert seen[-1] == {"type": "delta", "content": "Hi"}
    assert first.result(10) == seen + rest
    assert len(model.calls) == 1


def test_repeat_after_a_failed_reply_creates_a_new_reply_but_no_message(
    api: ApiClient, model: Upstream
):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, api, conversation)
        model.next_call().respond(500, {})
        assert first.result(10).status_code == 502
        second = pool.submit(send, api, conversation)
        model.reply("Hi")
        assert second.result(10).status_code == 201

    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert [m["content"] for m in history] == ["Hello", "Hi"]


def test_repeat_after_a_stopped_reply_adds_a_second_reply(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages"
    first = api.stream(conversation, "Hello", headers=ONCE)
    assert next(first)["type"] == "progress"
    call = model.next_call().start_stream()
    call.delta("Hi")
    while next(first)["type"] != "delta":
        pass
    api.delete(f"{path}/{api.get(path).json()['data'][-1]['id']}")
    assert [event["code"] for event in first] == ["stopped"]
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(send, api, conversation)
        model.reply("Hi there")
        assert second.result(10).status_code == 201

    history = api.get(path).json()["data"]
    assert [(m["content"], m["status"]) for m in history] == [
        ("Hello", "complete"),
        ("Hi", "incomplete"),
        ("Hi there", "complete"),
    ]
    assert {m["replyTo"] for m in history[1:]} == {history[0]["id"]}


def test_idempotency_key_reused_for_another_message_is_rejected(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, api, conversation)
        model.reply("Hi")
        first.result(10)

    assert send(api, conversation, "Other words").status_code == 422
    assert send(api, api.create_conversation()).json()["code"] == "idempotency_key_reused"


def test_invalid_idempotency_key_is_rejected(api: ApiClient):
    conversation = api.create_conversation()
    for key in ('""', "x" * 256, "a\tb", '"' + "x" * 255, '"a"b"', '"a'):
        answer = send(api, conversation, **{"Idempotency-Key": key})

        assert answer.status_code == 400, key
        assert "Idempotency-Key" in answer.json()["error"]


def test_concurrent_requests_with_one_key_create_one_message(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(10) as pool:
        sent = [pool.submit(send, api, conversation) for _ in range(10)]
        model.reply("Hi")
        answers = [one.result(10) for one in sent]

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    assert len(model.calls) == 1


def test_end_of_a_stopped_reply_does_not_end_its_replacement(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages/stream"
    headers = api.headers | ONCE
    first = api.post(path, json={"content": "Hello"}, headers=headers, stream=True)
    thinking = model.next_call()
    api.delete(first.headers["Location"].removeprefix("/api/v1"))
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(list, api.stream(conversation, "Hello", headers=ONCE))
        call = model.next_call().start_stream()
        call.delta("Hi")
        thinking.start_stream()
        assert thinking.wait_for_disconnect()
        call.delta(" there")
        call.complete()

        assert again.result(10)[-1]["message"]["content"] == "Hi there"


def test_idempotency_key_is_remembered_for_a_day(
    api: ApiClient, model: Upstream, clock: AdjustableClock
):
    model.always_reply("Hi")
    conversation = api.create_conversation()
    first = send(api, conversation).json()["data"]["id"]
    clock.advance(IDEMPOTENCY_KEY_SECONDS - 1)
    assert send(api, conversation).json()["data"]["id"] == first

    clock.advance(2)
    assert send(api, conversation).json()["data"]["id"] != first


def test_only_an_hmac_of_idempotency_keys_is_stored(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    send(api, api.create_conversation())

    key = make_idempotency_key(container.secret_key, "alice", "press-1")
    with container.database.read() as connection:
        assert connection.scalars(select(idempotency_keys.c.key)).all() == [key.digest]
    assert key.digest != make_idempotency_key("other" * 7, "alice", "press-1").digest
