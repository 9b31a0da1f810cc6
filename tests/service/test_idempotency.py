"""Idempotency-Key: repeated requests with one key create one message and one reply."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select, update

from core.database import Database
from service.access import ApiKeys
from service.container import Container
from service.conversations import Conversations
from service.idempotency import (
    IDEMPOTENCY_KEY_SECONDS,
    Creation,
    IdempotencyKeyReused,
    make_idempotency_key,
)
from service.schema import creations, idempotency_keys
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import Upstream

ONCE = {"Idempotency-Key": '"press-1"'}
KEY = make_idempotency_key("secret" * 6, "alice", "1")


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


def test_repeated_creation_of_a_conversation_returns_the_first(api: ApiClient):
    body = {"twinId": "ada", "title": "On heat"}
    with ThreadPoolExecutor(8) as pool:
        made = list(
            pool.map(
                lambda _: api.post("/conversations", json=body, headers=api.headers | ONCE),
                range(8),
            )
        )
    other = api.post("/conversations", json={"twinId": "ada"}, headers=api.headers | ONCE)

    assert {answer.status_code for answer in made} == {201}
    assert len({answer.text for answer in made}) == 1
    assert len({answer.headers["Location"] for answer in made}) == 1
    assert len(api.get("/conversations").json()["data"]) == 1
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_repeated_creation_of_an_api_key_returns_the_same_secret(
    api: ApiClient, container: Container
):
    alice, bob = (
        {"Authorization": f"Bearer {container.jwt_tokens.sign(sub)}"} | ONCE
        for sub in ("al", "bob")
    )
    body = {"name": "laptop", "scope": "read_only", "expiresIn": 60}
    first, again = (api.post("/auth/api-keys", json=body, headers=alice) for _ in "12")
    his = api.post("/auth/api-keys", json=body, headers=bob)
    other = api.post("/auth/api-keys", json=body | {"name": "phone"}, headers=alice)

    assert (first.status_code, again.status_code, his.status_code) == (201, 201, 201)
    assert again.json() == first.json()
    assert his.json()["data"]["key"] != first.json()["data"]["key"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    key = {"X-API-Key": first.json()["data"]["key"]}
    assert api.get("/twins", headers=key).status_code == 200
    assert len(api.get("/auth/api-keys", headers=alice).json()["data"]) == 1


def test_api_key_creation_repeated_with_another_service_secret_is_rejected(database: Database):
    creation = Creation(KEY, "create_key", "digest")
    ApiKeys(database, "one" * 20).create("alice", "laptop", "read_only", creation=creation)

    with pytest.raises(IdempotencyKeyReused):
        ApiKeys(database, "two" * 20).create("alice", "laptop", "read_only", creation=creation)


def test_creation_is_remembered_for_a_day(database: Database, clock: AdjustableClock):
    conversations = Conversations(database)
    creation = Creation(KEY, "create_conversation", "digest")
    first = conversations.create("alice", "ada", "", creation)
    assert conversations.create("alice", "ada", "", creation) == first
    clock.advance(IDEMPOTENCY_KEY_SECONDS + 1)

    assert conversations.create("alice", "ada", "", creation) != first


def stored_keys(database: Database) -> set[str]:
    with database.read() as connection:
        return {
            key
            for table in (idempotency_keys, creations)
            for key in connection.scalars(select(table.c.key))
        }


def test_only_an_hmac_of_idempotency_keys_is_stored(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    api.post("/conversations", json={"twinId": "ada"}, headers=api.headers | ONCE)
    send(api, api.create_conversation())

    key = make_idempotency_key(container.secret_key, "alice", "press-1")
    assert stored_keys(container.database) == {key.digest}
    assert key.digest != make_idempotency_key("other" * 7, "alice", "press-1").digest


def test_repeat_of_a_request_to_an_earlier_version_is_recognized(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"} | ONCE
    conversation = api.create_conversation()

    def requests() -> list[dict[str, Any]]:
        body = {"name": "laptop", "scope": "read_only"}
        responses = (
            send(api, conversation),
            api.post("/conversations", json={"twinId": "ada"}, headers=api.headers | ONCE),
            api.post("/auth/api-keys", json=body, headers=jwt),
        )
        return [response.json()["data"] for response in responses]

    first = requests()
    with container.database.write() as connection:
        for table in (idempotency_keys, creations):
            connection.execute(update(table).values(key="press-1"))

    assert requests() == first
    assert len(model.calls) == 1
