"""Token counts come from the model server; if it cannot count, they are estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.upstream import Answer, Call, Upstream
from tests.support.waiting import wait_until
from twindow.core.settings import load_settings
from twindow.service.llm.client import ModelClient
from twindow.service.llm.tokenizer import estimate_tokens

TEXT = "How many are these?"
NewModel = Callable[[], ModelClient]


@pytest.fixture
def new_model(model: Upstream, tmp_path: Path) -> Iterator[NewModel]:
    """Return a factory. Each call creates a client of the scripted server without cached state."""
    models: list[ModelClient] = []
    settings = load_settings({"data_dir": tmp_path, "model_url": model.url, "model": "scripted"})

    def new_model() -> ModelClient:
        models.append(ModelClient(settings))
        return models[-1]

    yield new_model
    for asker in models:
        asker.close()


def count(asker: ModelClient) -> int:
    """Count tokens with a new token counter, as the service does for each reply."""
    return asker.token_counter(None)(TEXT)


def asked(model: Upstream) -> list[Call]:
    return [call for call in model.calls if call.path == "/tokenize"]


def test_llama_cpp_and_vllm_accept_the_same_count_request(new_model: NewModel, model: Upstream):
    answers: dict[str, Any] = {
        "llama.cpp": {"tokens": [1, 2, 3]},
        "llama.cpp with pieces": {"tokens": [{"id": 1, "piece": "How"}, {"id": 2}, {"id": 3}]},
        "vLLM": {"count": 3, "max_model_len": 8192, "tokens": [1, 2, 3], "token_strs": None},
    }
    for name, answer in answers.items():
        model.answers["/tokenize"] = 200, answer

        assert count(new_model()) == 3, name
    wanted = {"content": TEXT, "prompt": TEXT, "model": "scripted"}
    assert [call.body for call in asked(model)] == [wanted] * len(answers)


NO_COUNTS: list[Answer] = [
    (404, {}),
    (405, {}),
    (401, {}),
    (400, {"error": "extra_forbidden"}),
    (200, {"error": "Unexpected endpoint"}),
    (200, {"tokens": []}),
    (200, b"<html>"),
    (200, b"[" * 100_000),
    lambda call: call.respond(307, {}, location="/v1/models"),
]


def test_server_that_does_not_support_counting_is_asked_once(new_model: NewModel, model: Upstream):
    wrong = []
    for answer in NO_COUNTS:
        model.calls.clear()
        model.answers["/tokenize"] = answer
        asker = new_model()
        counts = [count(asker), count(asker)]
        if counts != [estimate_tokens(TEXT)] * 2 or not len(asked(model)) == len(model.calls) == 1:
            wrong.append((answer, counts, model.calls))
    assert wrong == []


def silent(call: Call) -> None:
    call.wait_for_disconnect()


def drip(call: Call) -> None:
    call.send_head(200)
    call.send_until_disconnect(b" ")


def test_temporary_failure_to_count_tokens_delays_only_one_reply(
    new_model: NewModel, model: Upstream
):
    for answer in (silent, drip, Call.reset, (503, {}), (429, {})):
        model.calls.clear()
        model.answers["/tokenize"] = answer
        asker = new_model()
        asker.tokenizer.count_timeout_seconds = 0.2

        assert [count(asker), count(asker)] == [estimate_tokens(TEXT)] * 2, answer
        wait_until(lambda: asked(model))
        assert len(asked(model)) == 1, answer


def test_endless_count_response_is_not_read(new_model: NewModel, model: Upstream):
    def endless(call: Call) -> None:
        call.send_head(200)
        call.send_until_disconnect(b" " * 65536)

    asker = new_model()
    asker.tokenizer.count_timeout_seconds = 20
    # With a retry delay of 0, the second count sends a request if the first count timed out.
    asker.tokenizer.unreachable_retry_seconds = 0
    model.answers["/tokenize"] = endless

    assert [count(asker), count(asker)] == [estimate_tokens(TEXT)] * 2
    assert len(asked(model)) == 1


def test_server_is_asked_again_after_the_retry_delay(new_model: NewModel, model: Upstream):
    for status, pause in [(404, "unsupported_retry_seconds"), (503, "unreachable_retry_seconds")]:
        asker = new_model()
        setattr(asker.tokenizer, pause, 0)
        model.answers["/tokenize"] = status, {}
        assert count(asker) == estimate_tokens(TEXT)

        model.answers["/tokenize"] = 200, {"tokens": [1, 2]}
        assert count(asker) == 2


def test_tokens_are_estimated_after_the_count_timeout(new_model: NewModel, model: Upstream):
    model.answers["/tokenize"] = 200, {"tokens": [1]}
    asker = new_model()
    asker.tokenizer.count_timeout_seconds = 0

    assert count(asker) == estimate_tokens(TEXT)
    assert not asked(model)


def test_context_window_is_the_smaller_of_the_setting_and_the_server_limit(
    new_model: NewModel, model: Upstream
):
    for told, window in [(1000, 1000), (100_000, 4096)]:
        model.answers["/tokenize"] = 200, {"tokens": [1], "max_model_len": told}
        asker = new_model()
        count(asker)

        assert asker.window == window
