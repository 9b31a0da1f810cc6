"""The tokenizer: the server counts where it can, and nobody waits for it where it cannot."""

from __future__ import annotations

import time
from typing import Any

import pytest

from service.current import Parts
from service.tokenizer import estimate
from tests.support.upstream import Call, Upstream

TEXT = "How many are these?"


def count(parts: Parts, text: str = TEXT) -> int:
    """Count as a reply does."""
    return parts.model.tokens(None)(text)


def asked(model: Upstream) -> list[Call]:
    return [call for call in model.calls if call.path == "/tokenize"]


@pytest.mark.parametrize(
    "answer",
    [
        {"tokens": [1, 2, 3]},
        {"tokens": [{"id": 1, "piece": "How"}, {"id": 2}, {"id": 3}]},
        {"count": 3, "max_model_len": 8192, "tokens": [1, 2, 3], "token_strs": None},
    ],
    ids=["llama.cpp", "llama.cpp with pieces", "vLLM"],
)
def test_llama_cpp_and_vllm_count_with_the_same_request(parts: Parts, model: Upstream, answer: Any):
    model.answers["/tokenize"] = 200, answer

    assert count(parts) == 3
    (call,) = asked(model)
    assert call.body == {"content": TEXT, "prompt": TEXT, "model": "scripted"}


@pytest.mark.parametrize(
    "answer",
    [
        (404, {}),
        (405, {}),
        (401, {}),
        (400, {"error": "extra_forbidden"}),
        (200, {"error": "Unexpected endpoint"}),
        (200, {"tokens": []}),
        (200, {"tokens": [1], "count": -1}),
        (200, b"<html>"),
        (200, b"[" * 100_000),
        lambda call: call.respond(307, {}, location="/v1/models"),
    ],
)
def test_a_server_that_does_not_count_is_left_in_peace(parts: Parts, model: Upstream, answer: Any):
    model.answers["/tokenize"] = answer

    assert [count(parts), count(parts)] == [estimate(TEXT)] * 2
    assert len(asked(model)) == len(model.calls) == 1


def silent(call: Call) -> None:
    call.wait_for_disconnect()


def drip(call: Call) -> None:
    call.send_head(200)
    call.send_until_disconnect(b" ")


@pytest.mark.parametrize("answer", [silent, drip, Call.reset, (503, {}), (429, {})])
def test_a_server_that_cannot_count_now_holds_up_one_reply_for_a_moment(
    parts: Parts, model: Upstream, answer: Any
):
    parts.model.tokenizer.count_seconds = 0.2
    model.answers["/tokenize"] = answer
    begun = time.monotonic()

    assert [count(parts), count(parts)] == [estimate(TEXT)] * 2
    assert len(asked(model)) == 1
    assert time.monotonic() - begun < 5


def test_an_endless_answer_is_not_read(parts: Parts, model: Upstream):
    def endless(call: Call) -> None:
        call.send_head(200)
        call.send_until_disconnect(b" " * 65536)

    parts.model.tokenizer.count_seconds = 20
    model.answers["/tokenize"] = endless
    begun = time.monotonic()

    assert [count(parts), count(parts)] == [estimate(TEXT)] * 2
    assert len(asked(model)) == 1
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("status", "pause"), [(404, "not_offered_seconds"), (503, "silent_seconds")]
)
def test_a_server_that_counts_later_is_found_out(
    parts: Parts, model: Upstream, status: int, pause: str
):
    setattr(parts.model.tokenizer, pause, 0)
    model.answers["/tokenize"] = status, {}
    assert count(parts) == estimate(TEXT)

    model.answers["/tokenize"] = 200, {"tokens": [1, 2]}
    assert count(parts) == 2


def test_when_its_time_is_over_a_prompt_is_estimated(parts: Parts, model: Upstream):
    model.answers["/tokenize"] = 200, {"tokens": [1]}
    parts.model.tokenizer.count_seconds = 0

    assert count(parts) == estimate(TEXT)
    assert not asked(model)


def test_the_same_text_is_counted_once(parts: Parts, model: Upstream):
    model.answers["/tokenize"] = 200, {"tokens": [1]}

    assert [count(parts), count(parts), count(parts, "another")] == [1, 1, 1]
    assert len(asked(model)) == 2


@pytest.mark.parametrize(("told", "window"), [(1000, 1000), (100_000, 4096)])
def test_a_window_smaller_than_the_setting_is_believed(
    parts: Parts, model: Upstream, told: int, window: int
):
    model.answers["/tokenize"] = 200, {"tokens": [1], "max_model_len": told}
    count(parts)

    assert parts.model.window == window


def test_a_model_server_that_is_gone_is_no_fault_of_the_count(parts: Parts, model: Upstream):
    model.stop()

    assert count(parts) == estimate(TEXT)
