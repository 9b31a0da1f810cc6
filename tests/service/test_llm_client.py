"""The model client: what is sent to the model, and how failures of the model are reported."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream, send_reply
from twindow.service.container import Container
from twindow.service.twins.sampling import Sampling


def test_model_receives_instructions_examples_and_history(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    model.always_reply("One")
    for message in ("First", "Second"):
        list(api.stream(conversation, message))

    call = model.calls[-1]
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
    model.always_reply("Hi")
    for given, told in ((options, options), ({}, {"model": "scripted", "max_tokens": 400})):
        front_matter = json.dumps({"name": "Ada"} | given)
        (container.twins.folder / "ada.md").write_text(f"---\n{front_matter}\n---\n")
        list(api.stream(api.create_conversation(), "Hello"))

        body = model.calls[-1].body
        assert {name: value for name, value in body.items() if name not in always} == told


REFUSALS = [
    (500, "The model has a problem right now.", "model_failed", 502),
    (429, "The model is busy. Try again in a minute.", "model_busy", 503),
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
    for status, header, seconds in (
        (429, "17", 17),
        (429, "0.2", 1),
        (503, "9", 9),
        (429, "x", None),
    ):
        model.answers[CHAT_COMPLETIONS_PATH] = lambda call, status=status, header=header: (
            call.respond(status, {}, retry_after=header)
        )
        answer = api.post(path, json={"content": "Hello"})
        *_, error = api.stream(path.split("/")[2], "Hello")

        assert (answer.status_code, answer.json()["code"]) == (503, "model_busy")
        assert answer.headers.get("Retry-After") == (None if seconds is None else str(seconds))
        assert error.get("retryAfter") == seconds


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


@pytest.mark.parametrize("is_in_stream", [False, True], ids=["status", "stream"])
def test_overflow_shortens_the_prompt(api: ApiClient, model: Upstream, *, is_in_stream: bool):
    error = {"error": {"message": "the request exceeds the available context size"}}
    model.answers["/tokenize"] = 404, {}
    conversation = api.create_conversation()
    model.always_reply("Fine")
    list(api.stream(conversation, "earlier " * 1200))

    def answer(call: Call) -> None:
        if "earlier" not in str(call.body):
            send_reply(call, "Fine")
        elif is_in_stream:
            call.start_stream().send_event(**error)
            call.close()
        else:
            call.respond(400, error)

    model.answers[CHAT_COMPLETIONS_PATH] = answer
    assert [*api.stream(conversation, "Hello")][-1]["message"]["content"] == "Fine"
    refused, accepted = (call.body["messages"] for call in model.calls[-2:])
    assert len(accepted) == len(refused) - 2


def test_prompt_that_cannot_get_shorter_is_sent_once(api: ApiClient, model: Upstream):
    model.answers[CHAT_COMPLETIONS_PATH] = 400, {"error": "The prompt is too long"}

    *_, error = api.stream(api.create_conversation(), "Hello")
    assert error["error"] == "The message is too long for this model. Try a shorter one."
    assert len(model.calls) == 1
