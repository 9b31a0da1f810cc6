"""The model client: what is sent to the model, and how failures of the model are reported."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from service.container import Container
from service.twins.sampling import Sampling
from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream


def test_model_receives_instructions_examples_and_history(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    for message, reply in (("First", "One"), ("Second", "Two")):
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(conversation, message))
            call = model.reply(reply)
            events.result(10)

    assert call.path == "/v1/chat/completions"
    assert call.body["messages"] == [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "What is one and one?"},
        {"role": "assistant", "content": "Two."},
        {"role": "user", "content": "First"},
        {"role": "assistant", "content": "One"},
        {"role": "user", "content": "Second"},
    ]
    assert (call.body["temperature"], call.body["max_tokens"]) == (0.2, 50)
    assert call.body["model"] == "scripted"


def test_model_receives_only_the_sampling_options_of_the_twin(
    api: ApiClient, model: Upstream, container: Container
):
    options = {
        "model": "big",
        "temperature": 0.5,
        "top_p": 0.9,
        "frequency_penalty": -1,
        "presence_penalty": 1.5,
        "max_tokens": 7,
        "seed": 42,
        "stop": ["\n\n", "###"],
    }
    assert set(options) == set(Sampling.__struct_fields__), "another option has to be tried, too"
    always = {"messages", "stream", "stream_options"}
    for given, told in ((options, options), ({}, {"model": "scripted", "max_tokens": 400})):
        front_matter = json.dumps({"name": "Ada"} | given)
        (container.twins.folder / "ada.md").write_text(f"---\n{front_matter}\n---\n")
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
            body = model.reply("Hi").body
            events.result(10)

        assert {name: value for name, value in body.items() if name not in always} == told


REFUSALS = [
    (500, "The model has a problem right now.", "model_failed", 502),
    (429, "The model is busy. Try again in a minute.", "model_busy", 503),
    (
        401,
        "The model server rejected the API key. Please contact your administrator.",
        "model_failed",
        502,
    ),
    (
        404,
        "The model server doesn't have this model. Please contact your administrator.",
        "model_failed",
        502,
    ),
]


@pytest.mark.spec("S24", "S81", "S86")
def test_model_failure_is_an_error_and_the_next_message_works(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages"
    for status, sentence, code, told in REFUSALS:
        model.answers[CHAT_COMPLETIONS_PATH] = status, {"error": "secret detail /home/x"}
        *_, error = api.stream(conversation, "Hello")
        assert error == {"type": "error", "error": sentence, "code": code}

        answer = api.post(path, json={"content": "Hello"})
        assert (answer.status_code, answer.json()["code"]) == (told, code)
        assert answer.json()["error"] == sentence

        model.always_reply("Better")
        assert [*api.stream(conversation, "Again")][-1]["message"]["content"] == "Better"


def test_retry_after_of_a_busy_model_is_passed_on(api: ApiClient, model: Upstream):
    path = f"/conversations/{api.create_conversation()}/messages"
    for status, header, seconds in [
        (429, "17", 17),
        (429, "0.2", 1),
        (503, "9", 9),
        (429, "x", None),
    ]:
        model.answers[CHAT_COMPLETIONS_PATH] = lambda call, status=status, header=header: (
            call.respond(status, {}, retry_after=header)
        )
        answer = api.post(path, json={"content": "Hello"})
        *_, error = api.stream(path.split("/")[2], "Hello")

        assert (answer.status_code, answer.json()["code"]) == (503, "model_busy")
        assert answer.headers.get("Retry-After") == (None if seconds is None else str(seconds))
        assert error.get("retryAfter") == seconds


GARBAGE = {
    "not SSE": b"<html>Login</html>",
    "JSON of another kind": b'data: {"hello": "world"}\n\n',
    "an array": b"data: []\n\n",
    "numbers for text": b'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
    "an error": b'data: {"error": {"message": "secret detail /home/x"}}\n\n',
    "random bytes": bytes(range(256)) * 10,
    "nothing": b"",
}


def test_invalid_model_response_is_an_error_and_the_next_message_works(
    api: ApiClient, model: Upstream
):
    conversation = api.create_conversation()
    wrong = []
    for name, garbage in GARBAGE.items():
        model.answers[CHAT_COMPLETIONS_PATH] = lambda call, garbage=garbage: send(call, garbage)
        *_, error = api.stream(conversation, "Hello")
        model.always_reply("Better")
        *_, end = api.stream(conversation, "Again")

        seen = error["type"], error.get("code"), "secret" in str(error), end["type"]
        if seen != ("error", "model_failed", False, "complete"):
            wrong.append((name, error, end))
    assert wrong == []


def send(call: Call, data: bytes) -> None:
    call.start_stream()
    call.send_bytes(data)
    call.close()


def test_null_error_from_the_model_is_ignored(api: ApiClient, model: Upstream):
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        call = model.next_call().start_stream()
        call.send_bytes(b'data: {"error": null, "choices": [{"delta": {"content": "Hi"}}]}\n\n')
        call.complete()
        assert events.result(10)[-1]["message"]["content"] == "Hi"


def test_slow_model_times_out(api: ApiClient, model: Upstream, container: Container):
    container.model._settings = msgspec.structs.replace(container.settings, model_timeout=0.2)
    conversation = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        for begin in (False, True):
            events = pool.submit(list, api.stream(conversation, "Hello"))
            call = model.next_call()
            if begin:
                call.start_stream().delta("Half")
            assert events.result(10)[-1]["code"] == "model_failed"
            assert call.wait_for_disconnect()


def test_unreachable_model_server_is_an_error(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    model.stop()

    *_, error = api.stream(conversation, "Hello")

    assert error["error"] == "The model is not responding."


@pytest.mark.spec("S81")
def test_interrupted_model_stream_ends_with_an_error_event(api: ApiClient, model: Upstream):
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        call = model.next_call().start_stream()
        call.delta("Half")
        call.close()
        *_, delta, error = events.result(10)

    assert delta == {"type": "delta", "content": "Half"}
    assert error["error"] == "The model's reply was interrupted."


def test_first_model_of_the_server_is_used_without_a_configured_name(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model=None)
    model.answers["/v1/models"] = 200, {"data": [{"id": "first"}, {"id": "second"}]}

    for _ in range(2):
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
            call = model.reply("Hi")
            events.result(10)
        assert call.body["model"] == "first"
    assert [c.path for c in model.calls].count("/v1/models") == 1


def test_model_name_is_requested_again_after_the_server_was_unavailable(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model=None)
    asked = []
    for listed in ((503, {}), (200, {"data": [{"id": "first"}]})):
        model.answers["/v1/models"] = listed
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
            asked.append(model.reply("Hi").body["model"])
            events.result(10)

    assert asked == ["default", "first"]
