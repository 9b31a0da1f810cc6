"""What a reply of the service is, for the forms in which model servers answer.

`wire_formats.py` has the formats of the products; those here are variants of them.
"""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from core import sse
from service.container import Container
from service.llm.completion_stream import _separate_lines
from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream


def lines(*chunks: Any, end: str = "\n\n", done: str = "data: [DONE]\n\n") -> bytes:
    """Return a stream of chunks; a string is a line as it is."""
    texts = (part if isinstance(part, str) else f"data: {json.dumps(part)}" for part in chunks)
    return ("".join(f"{text}{end}" for text in texts) + done).encode()


def delta(content: Any = None, reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": content, **fields}, "finish_reason": reason}],
    }


def ask(
    api: ApiClient,
    model: Upstream,
    *answers: Any,
    conversation: str | None = None,
    content: str = "Hello",
) -> list[Any]:
    """Send a message; the model server answers each of its requests with one of the answers."""
    with ThreadPoolExecutor(1) as pool:
        conversation = conversation or api.create_conversation()
        events = pool.submit(list, api.stream(conversation, content))
        for answer in answers:
            call = model.next_call()
            if isinstance(answer, bytes):
                send(call, answer)
            else:
                call.respond(*answer)
        return events.result(10)


def send(call: Call, data: bytes) -> None:
    call.start_stream()
    call.send_bytes(data)
    call.close()


def outcome(events: list[Any]) -> str:
    """Return the text of a complete reply, or the sentence of its error."""
    final = events[-1]
    return str(final["message"]["content"] if final["type"] == "complete" else final["error"])


HI = (delta("", role="assistant"), delta("Hi"), delta(" there"), delta(None, "stop"))
READABLE = {
    "completions shape": lines({"choices": [{"text": "Hi there", "finish_reason": "stop"}]}),
    "whole messages": lines(
        {"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}
    ),
    "the text so far beside each delta": lines(
        *(
            {"choices": [{"delta": {"content": piece}, "message": {"content": text}}]}
            for piece, text in (("", ""), ("Hi", "Hi"), (" there", "Hi there"))
        ),
        {"choices": [{"delta": {}, "message": {"content": "Hi there"}, "finish_reason": "stop"}]},
    ),
    "reasoning between other tags": lines(
        delta("<seed:think>A greeting.</seed:think>Hi there", "stop")
    ),
    "content in parts": lines(delta(["Hi", {"type": "text", "text": " there"}], "stop")),
    "content in an object": lines(delta({"type": "text", "text": "Hi there"}, "stop")),
    "Gemini: upper case": lines(delta("Hi there", "STOP")),
    "single newlines": lines(*HI, end="\n", done="data: [DONE]\n"),
    "blank after [DONE]": lines(*HI, done="data: [DONE] \n\n"),
    "no blank line at the end": lines(*HI, done="data: [DONE]"),
    "no [DONE]": lines(*HI, done=""),
    "no end of the last line": lines(delta("Hi there", "stop"), end="", done=""),
    "comments and CRLF": lines(": OPENROUTER PROCESSING", *HI, end="\r\n\r\n"),
}


@pytest.mark.parametrize("stream", READABLE.values(), ids=READABLE)
def test_reply_is_read_from_the_streams_of_all_servers(
    api: ApiClient, model: Upstream, stream: bytes
):
    assert outcome(ask(api, model, stream)) == "Hi there"


def test_stream_is_read_alike_wherever_its_reads_end():
    streams = {
        b'data: {"a": "The log says: error: disk full"}\n',
        b"event: error\r\ndata: engine died\r\n\r\n",
        b"\xef\xbb\xbfevent: error\rdata: engine died\r\r",
        b'error: {"code": 500}\n\ndata: [DONE]',
    }
    for stream in streams:
        whole = list(sse.read_events(_separate_lines([stream])))
        assert whole, stream
        for cut in range(1, len(stream)):
            parts = [stream[:cut], stream[cut:]]
            assert list(sse.read_events(_separate_lines(parts))) == whole, (stream, cut)


def test_json_answer_to_a_request_for_a_stream_is_the_reply(api: ApiClient, model: Upstream):
    answer = {"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}
    assert outcome(ask(api, model, (200, answer))) == "Hi there"


def test_reply_may_be_about_tags(api: ApiClient, model: Upstream):
    stream = lines(delta("Write <think>x</think> first.", "stop"))
    assert outcome(ask(api, model, stream)) == "Write <think>x</think> first."


BROKEN = {
    "FastAPI: detail": (lines(delta("Half"), {"detail": "engine died"}), "engine died"),
    "event error": (lines(delta("Half"), "event: error\ndata: engine died"), "engine died"),
    "OpenRouter: error in the choice": (
        lines(
            delta("Half"),
            {"choices": [{"delta": {}, "error": {"message": "engine died", "code": 502}}]},
        ),
        "engine died",
    ),
    "200 with an error": (lines({"error": {"message": "engine died"}}), "engine died"),
}


@pytest.mark.parametrize(("stream", "words"), BROKEN.values(), ids=BROKEN)
def test_reply_that_breaks_off_is_not_complete_and_the_words_of_the_server_are_logged(
    api: ApiClient, model: Upstream, stream: bytes, words: str, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.WARNING):
        events = ask(api, model, stream)

    assert outcome(events) == "The model reported an error."
    assert words in caplog.text
    assert "engine" not in str(events)


@pytest.mark.parametrize("reason", ["content_filter", "content_filter: violence", "SAFETY", "SPII"])
def test_filtered_reply_is_an_error_and_a_refusal_of_the_model_is_its_reply(
    api: ApiClient, model: Upstream, reason: str
):
    stream = lines(delta("Half"), delta("", reason))
    assert outcome(ask(api, model, stream)) == "The filter of the model server ended this reply."
    refused = lines(delta(None, "stop", refusal="I can't help with that."))
    assert outcome(ask(api, model, refused)) == "I can't help with that."


UNREADABLE = {
    "page of a proxy": (200, "text/html", "<html><title>Sign in</title>", {}),
    "lines of JSON": (200, "application/x-ndjson", '{"message": {"content": "Hi"}}\n', {}),
    "result object": (200, "application/json", '{"code": 7, "msg": "no such model"}', {}),
    "moved": (308, "text/html", "<html><h1>Moved", {"location": "https://u:p@x.example/v1?k=s"}),
}


@pytest.mark.parametrize(("status", "kind", "body", "headers"), UNREADABLE.values(), ids=UNREADABLE)
def test_response_that_is_no_reply_is_described_in_one_line_of_the_log(
    api: ApiClient,
    model: Upstream,
    container: Container,
    caplog: pytest.LogCaptureFixture,
    status: int,
    kind: str,
    body: str,
    headers: dict[str, str],
):
    key = "configured key"
    container.model._settings = msgspec.structs.replace(container.settings, model_key=key)

    def answer(call: Call) -> None:
        call.respond(status, f"{body} \x1b {key}".encode(), content_type=kind, **headers)

    model.answers[CHAT_COMPLETIONS_PATH] = answer
    with caplog.at_level(logging.WARNING):
        ask(api, model)

    [line] = [record.getMessage() for record in caplog.records if "odel" in record.getMessage()]
    assert f"status {status}, {kind}" in line
    assert ("redirect to https://x.example/v1:" if headers else f"{body.strip()} [key]") in line
    assert line.isprintable()


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "model_length"])
def test_reply_at_the_token_limit_is_cut_off(api: ApiClient, model: Upstream, reason: str):
    assert ask(api, model, lines(delta("Half", reason)))[-1]["cutOff"] is True


def test_model_that_spends_its_tokens_on_reasoning_gets_more_at_once(
    api: ApiClient, model: Upstream
):
    thinking = lines(delta("", reasoning="Well, "), delta("", "length", reasoning="hm"))

    assert outcome(ask(api, model, thinking, lines(*HI))) == "Hi there"
    assert outcome(ask(api, model, thinking)).startswith("The model has only been thinking")
    assert [call.body["max_tokens"] for call in model.calls] == [50, 4146, 4146]


def test_tokens_for_reasoning_are_no_more_than_the_server_allows(api: ApiClient, model: Upstream):
    ask(api, model, lines(delta("", reasoning="Well, "), *HI))
    refused = refusal("max_tokens must be less than or equal to 2048", param="max_tokens")

    assert outcome(ask(api, model, refused, lines(*HI))) == "Hi there"
    assert outcome(ask(api, model, lines(*HI))) == "Hi there"
    assert [call.body["max_tokens"] for call in model.calls] == [50, 4146, 2048, 2048]


def test_prompt_that_leaves_no_room_for_the_reply_gets_shorter(api: ApiClient, model: Upstream):
    model.answers["/tokenize"] = 404, {}
    conversation = api.create_conversation()
    ask(api, model, lines(*HI), conversation=conversation, content="earlier " * 1200)
    full = refusal(
        "This model's maximum context length is 4096 tokens. However, you requested 4126 tokens "
        "(4076 in the messages, 50 in the completion)."
    )

    assert outcome(ask(api, model, full, lines(*HI), conversation=conversation)) == "Hi there"
    refused, accepted = (call.body for call in model.calls[-2:])
    assert len(accepted["messages"]) == len(refused["messages"]) - 2
    assert accepted["max_tokens"] == 50


def test_reasoning_without_an_opening_tag_is_left_out_once_it_is_known(
    api: ApiClient, model: Upstream
):
    stream = lines(delta("A greeting."), delta("</think>\n\nHi there", "stop"))
    ask(api, model, stream)
    assert outcome(ask(api, model, stream)) == "Hi there"


def refusal(message: str, **fields: Any) -> tuple[int, Any]:
    return 400, {"error": {"message": message, "type": "invalid_request_error", **fields}}


REFUSALS = {
    "Gemma on vLLM": (
        refusal("System role not supported"),
        lambda body: (
            [m["role"] for m in body["messages"]] == ["user", "assistant", "user"]
            and body["messages"][0]["content"].startswith("You are Ada.\n\n")
        ),
    ),
    "length of the reply without a number": (
        refusal("max_tokens is too large for this model"),
        lambda body: "max_tokens" not in body,
    ),
    "length of the reply without a number, but with a code": (
        refusal("max_tokens is too large", code=400),
        lambda body: "max_tokens" not in body,
    ),
    "no streams": (
        refusal("stream is not supported by this deployment"),
        lambda body: "stream" not in body,
    ),
}


@pytest.mark.parametrize(("answer", "is_adapted"), REFUSALS.values(), ids=REFUSALS)
def test_refused_parameter_is_adapted_once_and_remembered(
    api: ApiClient, model: Upstream, answer: tuple[int, Any], is_adapted: Any
):
    assert outcome(ask(api, model, answer, lines(*HI))) == "Hi there"
    assert outcome(ask(api, model, lines(*HI))) == "Hi there"
    assert [bool(is_adapted(call.body)) for call in model.calls] == [False, True, True]


def test_several_refusals_in_a_row_are_adapted(api: ApiClient, model: Upstream):
    refusals = [answer for answer, _ in list(REFUSALS.values())[:2]]
    assert outcome(ask(api, model, *refusals, lines(*HI))) == "Hi there"


def test_refusal_that_no_change_answers_is_sent_once_and_logged_without_keys(
    api: ApiClient, model: Upstream, container: Container, caplog: pytest.LogCaptureFixture
):
    key = "configured key"
    container.model._settings = msgspec.structs.replace(container.settings, model_key=key)
    with caplog.at_level(logging.WARNING):
        events = ask(api, model, refusal(f"The deployment is paused, key sk-abcdefgh1234, {key}"))

    assert outcome(events) == "The model has a problem right now."
    assert "The deployment is paused, key [key], [key]" in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        refusal(
            "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"
        ),
        refusal("the request exceeds the available context size", type="exceed_context_size_error"),
        (500, {"error": "input is too long: prompt is longer than n_ctx"}),
        (400, {"object": "error", "message": "Prompt too long; exceeded max context window by 9"}),
        lines({"error": {"message": "the request exceeds the available context size"}}, done=""),
    ],
)
def test_overflow_in_the_words_of_any_server_shortens_the_prompt(
    api: ApiClient, model: Upstream, answer: tuple[int, Any]
):
    model.answers["/tokenize"] = 404, {}
    conversation = api.create_conversation()
    ask(api, model, lines(*HI), conversation=conversation, content="earlier " * 1200)

    events = ask(api, model, answer, lines(*HI), conversation=conversation)

    assert outcome(events) == "Hi there"
    refused, accepted = (call.body["messages"] for call in model.calls[-2:])
    assert len(accepted) == len(refused) - 2


def test_prompt_that_cannot_get_shorter_is_sent_once(api: ApiClient, model: Upstream):
    events = ask(api, model, refusal("The prompt is too long"))

    assert outcome(events) == "The message is too long for this model. Try a shorter one."
    assert len(model.calls) == 1


def test_loading_model_is_waited_for(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(container.model, "loading_retry_seconds", 0.01)
    error = {"code": 503, "message": "Loading model", "type": "unavailable_error"}
    loading = 503, {"error": error}

    assert outcome(ask(api, model, loading, loading, lines(*HI))) == "Hi there"
    container.model._settings = msgspec.structs.replace(container.settings, model_timeout=0.2)
    model.answers[CHAT_COMPLETIONS_PATH] = loading
    assert outcome(ask(api, model)) == "The model is still loading. Try again in a minute."


LISTS = {
    "by type": {"data": [{"id": "m3", "type": "embedding"}, {"id": "llama3.2", "type": "llm"}]},
    "Ollama's own list": {"models": [{"name": "llama3.2", "model": "llama3.2"}]},
    "bare array": [{"id": "whisper-1"}, {"id": "llama3.2"}],
}


@pytest.mark.parametrize("models", LISTS.values(), ids=LISTS)
def test_first_chat_model_of_the_list_is_used(
    api: ApiClient, model: Upstream, container: Container, models: Any
):
    container.model._settings = msgspec.structs.replace(container.settings, model=None)
    model.answers["/v1/models"] = 200, models

    assert outcome(ask(api, model, lines(*HI))) == "Hi there"
    assert model.calls[-1].body["model"] == "llama3.2"


def test_server_without_a_chat_model_is_named_as_the_cause(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model=None)
    model.answers["/v1/models"] = 200, {"data": [{"id": "bge-m3"}, {"id": "whisper-1"}]}

    assert outcome(ask(api, model)).startswith("The model server has no chat model.")
    assert CHAT_COMPLETIONS_PATH not in {call.path for call in model.calls}


def test_final_chunk_ends_the_reply_although_the_connection_stays_open(
    api: ApiClient, model: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("service.llm.completion_stream.FINAL_SECONDS", 0.1)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        call = model.next_call().start_stream()
        call.send_bytes(lines(*HI, done=""))
        assert outcome(events.result(5)) == "Hi there"
        call.close()


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        (
            "/openai/deployments/big?api-version=2026-01-01",
            "/openai/deployments/big/chat/completions?api-version=2026-01-01",
        ),
    ],
)
def test_usual_forms_of_the_url_of_a_model_server_are_understood(
    api: ApiClient, model: Upstream, container: Container, suffix: str, path: str
):
    url = model.url + suffix
    container.model._settings = msgspec.structs.replace(container.settings, model_url=url)

    model.answers[path.partition("?")[0]] = lambda call: send(call, lines(*HI))
    *_, final = api.stream(api.create_conversation(), "Hello")
    assert final["type"] == "complete"
    assert model.calls[-1].path == path


def test_model_that_mentions_a_closing_tag_keeps_its_replies(api: ApiClient, model: Upstream):
    mention = lines(delta("Models write `</think>` first, or </think> in a line.", "stop"))
    ask(api, model, mention)
    assert outcome(ask(api, model, lines(*HI))) == "Hi there"


def test_model_that_leaves_out_the_opening_tag_only_sometimes_keeps_its_replies(
    api: ApiClient, model: Upstream
):
    ask(api, model, lines(delta("A greeting."), delta("</think>\n\nHi there", "stop")))

    assert [outcome(ask(api, model, lines(*HI))) for _ in range(2)] == ["Hi there"] * 2
    first, second = (len(ask(api, model, lines(*HI))) for _ in range(2))
    assert first == second > 3  # in pieces again
