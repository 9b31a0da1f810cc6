"""Details of a reply: the number of tokens, the model, and whether the text was cut off."""

from __future__ import annotations

import json

import pytest

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
        *_, message, kept = api.history(conversation)
        assert (end["usage"], end["message"]["usage"], kept["usage"]) == (told, told, told)
        assert message["usage"] is None


@pytest.mark.parametrize(
    ("text", "reason"), [("Once upon", "stop"), ("Once upon", "length"), ("```\nx", "length")]
)
def test_reply_that_ends_at_the_token_limit_is_marked_and_its_text_unchanged(
    api: ApiClient, model: Upstream, text: str, reason: str
):
    once = {"Idempotency-Key": "one"}
    conversation = api.create_conversation()
    events = api.stream(conversation, "Hello", once)
    next(events)
    call = model.next_call().start_stream()
    for sign in text:
        call.delta(sign)
    call.complete(finish_reason=reason)
    *_, end = events

    message, kept = api.history(conversation)
    assert [*api.stream(conversation, "Hello", once)] == [end]
    assert end["message"] == kept == api.send(conversation, headers=once).json()["data"]
    assert kept["content"] == text
    is_cut_off = reason == "length"
    assert (message["cutOff"], kept["cutOff"], end["cutOff"]) == (False, is_cut_off, is_cut_off)
