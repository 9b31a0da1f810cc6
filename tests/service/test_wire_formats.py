"""The wire formats of real model servers: text, requests and the words in the log for each."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.settings import load_settings
from service.llm import ModelClient, ModelFailed, PromptTooLong
from service.llm.completion_stream import CompletionStream
from service.twins import FrontMatter
from tests.service import wire_formats
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream
from tests.support.waiting import wait_until

PROMPT = [
    {"role": "system", "content": "You are Ada."},
    {"role": "user", "content": "Hello"},
]
FRONT_MATTER = FrontMatter(
    name="Ada", temperature=0.5, top_p=0.9, frequency_penalty=0.1, max_tokens=50
)
REPLY = wire_formats.STREAMS["OpenAI"][1]
MODELS = "/v1/models"
CREDIT = "The limit of the model server is used up. Please contact your administrator."
KEY = "The model server rejected the API key. Please contact your administrator."
BUSY = "The model is busy. Try again in a minute."
# What people read about other limits; the default is `BUSY`.
SENTENCES = {
    "OpenAI: insufficient_quota": CREDIT,
    "Groq: TPM with status 413": CREDIT,
    "OpenRouter: credits": CREDIT,
    "OpenRouter: prompt tokens of the key": CREDIT,
    "DeepSeek: balance": CREDIT,
    "Azure: filter of the prompt": "The filter of the model server ended this reply.",
    "Gemini: wrong key": KEY,
    "LiteLLM: budget": CREDIT,
    "LiteLLM: key without access": KEY,
    "LiteLLM: wrong key without a database": KEY,
    "LiteLLM: unknown model": (
        "The model server doesn't have this model. Please contact your administrator."
    ),
}
# These end without a word about the failure.
SILENT = {
    "Ollama: empty chunk, then the end",
    "Gemini: stop without any text",
    "LM Studio, GGUF: prompt too long, empty stream",
}


@pytest.fixture
def new_client(upstream: Upstream, tmp_path: Path) -> Iterator[Callable[..., ModelClient]]:
    clients: list[ModelClient] = []

    def new_client(**settings: str) -> ModelClient:
        values = {"data_dir": tmp_path, "model_url": upstream.url, "model_timeout": 5}
        clients.append(ModelClient(load_settings(values | settings)))
        clients[-1].loading_retry_seconds = 0.01
        return clients[-1]

    yield new_client
    for client in clients:
        client.close()


@pytest.fixture
def client(new_client: Callable[..., ModelClient]) -> ModelClient:
    return new_client(model="m")


def respond(call: Call, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
    """Send JSON, or the bytes of a stream."""
    if isinstance(body, bytes):
        call.start_stream().send_bytes(body)
        call.close()
    else:
        call.respond(status, body, **{k.replace("-", "_"): v for k, v in (headers or {}).items()})


def always(upstream: Upstream, status: int, body: Any, *headers: dict[str, str]) -> None:
    upstream.answers[CHAT_COMPLETIONS_PATH] = lambda call: respond(call, status, body, *headers)


def ask(client: ModelClient, front_matter: FrontMatter = FRONT_MATTER) -> str:
    return "".join(client.stream_reply([dict(message) for message in PROMPT], front_matter))


def requests_of(upstream: Upstream) -> list[Any]:
    return [call.body for call in upstream.calls if call.path == CHAT_COMPLETIONS_PATH]


@pytest.mark.parametrize("name", [*wire_formats.STREAMS, *wire_formats.REASONING])
def test_text_is_read_from_the_stream_of(client: ModelClient, upstream: Upstream, name: str):
    always(upstream, 200, (wire_formats.STREAMS | wire_formats.REASONING)[name][1])

    # Reasoning with a closing tag only is recognised from the second reply on.
    texts = [ask(client) for _ in range(2 if "closing tag only" in name else 1)]
    assert texts[-1] == "Hi there"
    assert len(requests_of(upstream)) == len(texts)


def test_stream_stopped_during_a_pause_reads_no_more_text(upstream: Upstream, tmp_path: Path):
    calls: list[Call] = []
    streams: list[CompletionStream] = []

    def pause_seconds() -> float:
        calls[0].send_bytes(event_of("there"))
        streams[0].stop()
        return 0.001

    settings = load_settings({"data_dir": tmp_path, "model_url": upstream.url, "model": "m"})
    client = ModelClient(settings, pause_seconds)
    with ThreadPoolExecutor() as pool:
        result = pool.submit(
            client.stream_reply, [dict(message) for message in PROMPT], FRONT_MATTER
        )
        calls.append(upstream.next_call().start_stream())
        calls[0].send_bytes(event_of("Hi"))
        streams.append(result.result(10))
        assert list(streams[0]) == ["Hi"]
    calls[0].close()
    client.close()


def test_busy_process_reads_the_first_text_without_a_pause(upstream: Upstream, tmp_path: Path):
    texts: list[str] = []
    pauses: list[list[str]] = []

    def pause_seconds() -> float:
        pauses.append(list(texts))
        return 0.001

    settings = load_settings({"data_dir": tmp_path, "model_url": upstream.url, "model": "m"})
    client = ModelClient(settings, pause_seconds)
    with ThreadPoolExecutor() as pool:
        result = pool.submit(
            client.stream_reply, [dict(message) for message in PROMPT], FRONT_MATTER
        )
        call = upstream.next_call().start_stream()
        stream = result.result(10)
        began_at = stream._last_event_at
        reading = pool.submit(lambda: texts.extend(stream))
        call.send_bytes(b'data: {"choices": [{"delta": {"role": "assistant"}}]}\n\n')
        wait_until(lambda: stream._last_event_at > began_at)
        call.send_bytes(event_of("Hi"))
        call.complete()
        reading.result(10)

    assert texts == ["Hi"]
    assert [] not in pauses
    client.close()


def event_of(text: str) -> bytes:
    return b"data: %b\n\n" % json.dumps({"choices": [{"delta": {"content": text}}]}).encode()


@pytest.mark.parametrize("name", wire_formats.MODEL_LISTS)
def test_chat_model_is_chosen_from_the_list_of(
    new_client: Callable[..., ModelClient], upstream: Upstream, name: str
):
    _, models, chosen = wire_formats.MODEL_LISTS[name]
    upstream.answers[MODELS] = 200, models
    always(upstream, 200, REPLY)

    assert ask(new_client()) == "Hi there"
    assert requests_of(upstream)[0]["model"] == (chosen or "default")


@pytest.mark.parametrize("name", wire_formats.FAILURES_IN_STREAM)
def test_failure_within_a_stream_is_no_complete_reply_and_is_logged_for(
    client: ModelClient, upstream: Upstream, name: str, caplog: pytest.LogCaptureFixture
):
    _, stream, words = wire_formats.FAILURES_IN_STREAM[name]
    always(upstream, 200, stream)

    with caplog.at_level(logging.WARNING):
        try:
            text = ask(client)
        except ModelFailed:
            text = ""
    assert text == ""  # the service says that a reply without text is empty
    assert "wrote no text" in caplog.text or name in SILENT or words in caplog.text


@pytest.mark.parametrize("name", wire_formats.OVERFLOWS)
def test_overflow_is_recognised_in_the_words_of(client: ModelClient, upstream: Upstream, name: str):
    _, status, body = wire_formats.OVERFLOWS[name]
    always(upstream, status, body)

    with pytest.raises(PromptTooLong):
        ask(client)
    assert len(requests_of(upstream)) == 1


@pytest.mark.parametrize("name", wire_formats.NO_OVERFLOWS)
def test_another_limit_is_not_taken_for_an_overflow_of(
    client: ModelClient, upstream: Upstream, name: str
):
    _, status, headers, body = wire_formats.NO_OVERFLOWS[name]
    always(upstream, status, body, headers)

    with pytest.raises(ModelFailed) as failure:
        ask(client)
    assert failure.value.sentence == SENTENCES.get(name, BUSY)
    assert len(requests_of(upstream)) == 1


IS_CHANGED: dict[str, Callable[[Any], bool]] = {
    "max_completion_tokens": lambda body: body.get("max_completion_tokens") == 50,
    "system role": lambda body: body["messages"][0]["role"] == "user",
    "no stream": lambda body: "stream" not in body,
}


@pytest.mark.parametrize("name", wire_formats.REFUSALS)
def test_refused_parameter_is_changed_once_and_remembered_for(
    client: ModelClient, upstream: Upstream, name: str
):
    _, status, body, change = wire_formats.REFUSALS[name]
    parameter = change.removeprefix("drop ")
    is_changed = IS_CHANGED.get(change, lambda sent: parameter not in sent)
    whole = {"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}

    def answer(call: Call) -> None:
        accepted = REPLY if call.body.get("stream") else whole
        respond(call, *((200, accepted) if is_changed(call.body) else (status, body)))

    upstream.answers[CHAT_COMPLETIONS_PATH] = answer

    assert [ask(client), ask(client)] == ["Hi there"] * 2
    assert len(requests_of(upstream)) == 3


@pytest.mark.parametrize("name", wire_formats.REPLY_LENGTHS)
def test_refused_length_of_a_reply_is_lowered_within_the_reply_and_remembered_for(
    client: ModelClient, upstream: Upstream, name: str
):
    _, status, refusal, maximum = wire_formats.REPLY_LENGTHS[name]

    def answer(call: Call) -> None:
        tokens = call.body["max_tokens"]
        is_refused = tokens > maximum
        respond(call, *((status, refusal(tokens)) if is_refused else (200, REPLY)))

    upstream.answers[CHAT_COMPLETIONS_PATH] = answer

    assert ask(client, FrontMatter(name="Ada", max_tokens=5000)) == "Hi there"
    first = [body["max_tokens"] for body in requests_of(upstream)]
    assert first[0] == 5000
    assert maximum - 300 < first[-1] <= maximum
    assert ask(client, FrontMatter(name="Ada", max_tokens=5000)) == "Hi there"
    assert [body["max_tokens"] for body in requests_of(upstream)] == [*first, first[-1]]


@pytest.mark.parametrize("name", wire_formats.LOADING)
def test_loading_model_is_waited_for_or_named_busy_by(
    client: ModelClient, upstream: Upstream, name: str
):
    _, status, headers, body, how = wire_formats.LOADING[name]
    left = [(status, body, headers)] * 2 + [(200, REPLY, {})]
    upstream.answers[CHAT_COMPLETIONS_PATH] = lambda call: respond(call, *left.pop(0))

    if how.startswith("busy"):
        with pytest.raises(ModelFailed, match="The model is busy"):
            ask(client)
    else:
        assert ask(client) == "Hi there"
