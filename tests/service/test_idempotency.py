"""Idempotency-Key: repeated requests with one key create one message and one reply."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from twindow.service.container import Container
from twindow.service.idempotency import make_idempotency_key
from twindow.service.schema import idempotency_keys

ONCE = {"Idempotency-Key": '"press-1"'}


def test_repeated_request_returns_the_first_reply(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    conversation = api.create_conversation()

    answer = api.send(conversation, headers=ONCE)
    again = api.send(conversation, headers={"Idempotency-Key": "press-1"})
    streamed = list(api.stream(conversation, "Hello", headers=ONCE))

    assert answer.status_code == again.status_code == 201
    assert again.json() == answer.json()
    reply = {"message": answer.json()["data"], "cutOff": False, "usage": None}
    assert streamed == [{"type": "complete"} | reply]
    assert len(api.history(conversation)) == 2
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
    model.answers[CHAT_COMPLETIONS_PATH] = 500, {}
    assert api.send(conversation, headers=ONCE).status_code == 502

    model.always_reply("Hi")
    assert api.send(conversation, headers=ONCE).status_code == 201

    assert [message["content"] for message in api.history(conversation)] == ["Hello", "Hi"]


def test_repeat_after_a_stopped_reply_adds_a_second_reply(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    response = api.begin_stream(conversation, headers=ONCE)
    events = api.events(response)
    model.next_call().start_stream().delta("Hi")
    while next(events)["type"] != "delta":
        pass
    api.delete(response.headers["Location"].removeprefix("/api/v1"))
    assert [event["code"] for event in events] == ["stopped"]
    model.always_reply("Hi there")

    assert api.send(conversation, headers=ONCE).status_code == 201

    message, *replies = api.history(conversation)
    told = [(reply["content"], reply["status"], reply["replyTo"]) for reply in replies]
    assert told == [("Hi", "incomplete", message["id"]), ("Hi there", "complete", message["id"])]


def test_idempotency_key_reused_for_another_message_is_rejected(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    conversation, other = api.create_conversation(), api.create_conversation()
    api.send(conversation, headers=ONCE)

    for refused in (api.send(conversation, "Other", ONCE), api.send(other, "Hello", ONCE)):
        told = refused.status_code, refused.json()["code"]
        assert told == (422, "idempotency_key_reused")


def test_invalid_idempotency_key_is_rejected(api: ApiClient):
    conversation = api.create_conversation()
    for key in ('""', "x" * 256, "a\tb", '"' + "x" * 255, '"a"b"', '"a'):
        answer = api.send(conversation, headers={"Idempotency-Key": key})

        assert answer.status_code == 400, key
        assert "Idempotency-Key" in answer.json()["error"]


def test_concurrent_requests_with_one_key_create_one_message(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(10) as pool:
        sent = [pool.submit(api.send, conversation, headers=ONCE) for _ in range(10)]
        model.reply("Hi")
        answers = [one.result(10) for one in sent]

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    assert len(model.calls) == 1


def test_end_of_a_stopped_reply_does_not_end_its_replacement(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    first = api.begin_stream(conversation, headers=ONCE)
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


def test_only_an_hmac_of_idempotency_keys_is_stored(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    api.send(api.create_conversation(), headers=ONCE)

    key = make_idempotency_key(container.secret_key, "alice", "press-1")
    with container.database.read() as connection:
        assert connection.scalars(select(idempotency_keys.c.key)).all() == [key.digest]
    assert key.digest != make_idempotency_key("other" * 7, "alice", "press-1").digest
