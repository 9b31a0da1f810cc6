"""Details of a reply: the number of tokens, the model, and whether the text was cut off."""

from __future__ import annotations

import json

from tests.service.client import ApiClient
from tests.support.upstream import Upstream

USAGE = {"prompt_tokens": 48, "completion_tokens": 9, "total_tokens": 57}
USAGES = [
    ({"usage": USAGE, "model": "big"}, {"inputTokens": 48, "outputTokens": 9, "model": "big"}),
    ({"usage": USAGE}, {"inputTokens": 48, "outputTokens": 9, "model": "scripted"}),
    ({"usage": USAGE, "model": 3}, {"inputTokens": 48, "outputTokens": 9, "model": "scripted"}),
    ({"usage": None}, None),
    ({"usage": {"prompt_tokens": 1}}, None),
    ({"usage": USAGE | {"prompt_tokens": -1}}, None),
    ({"usage": USAGE | {"prompt_tokens": 2**31}}, None),
    ({"usage": "much"}, None),
]


def test_usage_of_a_reply_is_that_of_the_model_server(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    for reported, told in USAGES:
        events = api.stream(conversation, "Hello")
        next(events)
        call = model.next_call().start_stream()
        call.delta("Hi")
        call.send_bytes(f"data: {json.dumps({'choices': []} | reported)}\n\n".encode())
        call.complete()
        *_, end = events

        assert call.body["stream_options"] == {"include_usage": True}
        *_, message, kept = api.get(f"/conversations/{conversation}/messages").json()["data"]
        assert (end["usage"], end["message"]["usage"], kept["usage"]) == (told, told, told)
        assert message["usage"] is None


def test_server_that_refuses_the_usage_option_is_asked_without_it(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    refusal = {"detail": [{"loc": ["body", "stream_options"], "type": "extra_forbidden"}]}
    for number in (1, 2):
        events = api.stream(conversation, "Hello")
        next(events)
        if number == 1:
            model.next_call().respond(422, refusal)
        call = model.next_call().start_stream()
        call.delta("Hi")
        call.complete()

        assert [*events][-1]["message"]["content"] == "Hi"
        assert "stream_options" not in call.body


def test_reply_that_ends_at_the_token_limit_is_marked_and_its_text_unchanged(
    api: ApiClient, model: Upstream
):
    for text, reason in [("Once upon", "stop"), ("Once upon", "length"), ("```\nx", "length")]:
        headers = {"Idempotency-Key": f"{reason}{len(text)}"}
        conversation = api.create_conversation()
        events = api.stream(conversation, "Hello", headers)
        next(events)
        call = model.next_call().start_stream()
        for sign in text:
            call.delta(sign)
        call.complete(finish_reason=reason)
        *_, end = events

        [again] = api.stream(conversation, "Hello", headers)
        path = f"/conversations/{conversation}/messages"
        body, headers = {"content": "Hello"}, api.headers | headers
        whole = api.post(path, json=body, headers=headers).json()["data"]
        message, kept = api.get(path).json()["data"]
        assert end == again
        assert end["message"] == whole == kept
        assert kept["content"] == text
        assert (kept["cutOff"], end["cutOff"]) == (reason == "length", reason == "length")
        assert not message["cutOff"]
