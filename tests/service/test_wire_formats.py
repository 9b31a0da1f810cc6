"""How model servers answer, and what the client makes of it: text, requests, errors and log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.service import wire_formats
from tests.service.wire_formats import DONE, END, Recording, chunk, sse, text
from tests.support.clock import AdjustableClock
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream
from tests.support.waiting import wait_until
from twindow.core.settings import load_settings
from twindow.core.sse import read_events
from twindow.service.llm import ModelClient, ModelFailed, PromptTooLong
from twindow.service.llm.chunks import Chunk, End, error_sentence, is_overflow
from twindow.service.llm.completion_stream import CompletionStream, _separate_lines
from twindow.service.llm.dialect import Dialect
from twindow.service.llm.model_list import can_chat
from twindow.service.llm.refusals import parse_refusal
from twindow.service.twins import FrontMatter

PROMPT = [
    {"role": "system", "content": "You are Ada."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Good day"},
    {"role": "user", "content": "And you?"},
]
ADA = FrontMatter(name="Ada", temperature=0.5, top_p=0.9, frequency_penalty=0.1, max_tokens=50)
LONG = FrontMatter(name="Ada", max_tokens=5000)
HI = wire_formats.STREAMS["OpenAI"].body
HALF = text("Half")
WHOLE = {"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}
MODEL_TIMEOUT_SECONDS = 5
NewClient = Callable[..., ModelClient]


def recordings(table: dict[str, Recording]) -> pytest.MarkDecorator:
    """Run a test with each recording of a table."""
    return pytest.mark.parametrize("recording", table.values(), ids=table)


@pytest.fixture
def new_client(upstream: Upstream, tmp_path: Path) -> Iterator[NewClient]:
    """Return a factory of clients, whose arguments are settings."""
    clients: list[ModelClient] = []

    def new_client(pause_seconds: Callable[[], float] = lambda: 0, **settings: Any) -> ModelClient:
        values = {
            "data_dir": tmp_path,
            "model_url": upstream.url,
            "model_timeout": MODEL_TIMEOUT_SECONDS,
        }
        clients.append(ModelClient(load_settings(values | settings), pause_seconds))
        return clients[-1]

    yield new_client
    for client in clients:
        client.close()


@pytest.fixture
def client(new_client: NewClient) -> ModelClient:
    return new_client(model="m")


def answer(upstream: Upstream, *answers: Any) -> None:
    """Answer each completion with the next answer, and all further ones with the last."""
    left = list(answers)
    upstream.answers[CHAT_COMPLETIONS_PATH] = lambda call: send(
        call, left.pop(0) if len(left) > 1 else left[0]
    )


def send(call: Call, answer: Any) -> None:
    """Send a recording, the bytes of a stream, or a status and JSON."""
    if isinstance(answer, Recording):
        answer = answer.body if answer.status == 200 else (answer.status, answer.body)
    if isinstance(answer, bytes):
        call.start_stream().send_bytes(answer)
        call.close()
    else:
        call.respond(*answer)


def start(client: ModelClient, front_matter: FrontMatter = ADA) -> CompletionStream:
    return client.stream_reply([dict(message) for message in PROMPT], front_matter)


def ask(client: ModelClient, front_matter: FrontMatter = ADA) -> str:
    return "".join(start(client, front_matter))


def ask_in_vain(client: ModelClient) -> tuple[str, str]:
    """Return the text of a reply that fails, and the sentence for people."""
    pieces: list[str] = []
    with pytest.raises(ModelFailed) as failure:
        pieces.extend(start(client))
    return "".join(pieces), failure.value.sentence


def sent(upstream: Upstream) -> list[Any]:
    """Return the bodies of all requests for a completion."""
    return [call.body for call in upstream.calls if call.path == CHAT_COMPLETIONS_PATH]


# Text --------------------------------------------------------------------------------------------


@recordings(wire_formats.STREAMS)
def test_text_and_usage_are_read_from_the_stream_of(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    answer(upstream, recording.body)
    stream = start(client)

    assert "".join(stream) == "Hi there"
    assert (stream.usage and stream.usage.input_tokens) == recording.expected
    assert len(sent(upstream)) == 1


# Other places of the text, which some servers use.
PLACES: dict[str, list[Any]] = {
    "completions": [{"choices": [{"text": "Hi there", "finish_reason": "stop"}]}],
    "message": [WHOLE],
    "the text so far beside each delta": [
        {"choices": [{"delta": {"content": "Hi"}, "message": {"content": "Hi"}}]},
        {"choices": [{"delta": {"content": " there"}, "message": {"content": "Hi there"}}]},
        WHOLE,
    ],
    "parts": [chunk({"content": ["Hi", {"type": "text", "text": " there"}]}, "stop")],
    "object": [chunk({"content": {"type": "text", "text": "Hi there"}}, "stop")],
    "beside an empty error": [{"error": None, **WHOLE}],
    "refusal of the model": [chunk({"content": None, "refusal": "Hi there"}, "stop")],
}


@pytest.mark.parametrize("chunks", PLACES.values(), ids=PLACES)
def test_text_is_found_in(client: ModelClient, upstream: Upstream, chunks: list[Any]):
    answer(upstream, sse(*chunks))

    assert ask(client) == "Hi there"


def test_text_is_read_whatever_ends_lines_and_stream(client: ModelClient, upstream: Upstream):
    streams = {
        "single newlines": HI.replace(b"\n\n", b"\n"),
        "CRLF": HI.replace(b"\n", b"\r\n"),
        "blank after [DONE]": HI.replace(b"[DONE]", b"[DONE] "),
        "no blank line at the end": HI.rstrip(),
        "no [DONE]": HI.removesuffix(DONE),
        "no end of the last line": HI.removesuffix(DONE).rstrip(),
    }
    for name, stream in streams.items():
        answer(upstream, stream)
        assert ask(client) == "Hi there", name


def test_stream_is_read_alike_wherever_its_reads_end():
    streams = {
        b'data: {"a": "The log says: error: disk full"}\n',
        b"event: error\r\ndata: engine died\r\n\r\n",
        b"\xef\xbb\xbfevent: error\rdata: engine died\r\r",
        b'error: {"code": 500}\n\ndata: [DONE]',
    }
    for stream in streams:
        whole = list(read_events(_separate_lines([stream])))
        assert whole, stream
        for cut in range(1, len(stream)):
            parts = [stream[:cut], stream[cut:]]
            assert list(read_events(_separate_lines(parts))) == whole, (stream, cut)


def test_stream_stopped_during_a_pause_reads_no_more_text(
    new_client: NewClient, upstream: Upstream
):
    calls: list[Call] = []
    streams: list[CompletionStream] = []

    def pause_seconds() -> float:
        calls[0].delta("there")
        streams[0].stop()
        return 0.001

    with ThreadPoolExecutor() as pool:
        result = pool.submit(start, new_client(pause_seconds, model="m"))
        calls.append(upstream.next_call().start_stream())
        calls[0].delta("Hi")
        streams.append(result.result(10))
        assert list(streams[0]) == ["Hi"]
    calls[0].close()


def test_busy_process_reads_the_first_text_without_a_pause(
    new_client: NewClient, upstream: Upstream
):
    texts: list[str] = []
    pauses: list[list[str]] = []

    def pause_seconds() -> float:
        pauses.append(list(texts))
        return 0.001

    with ThreadPoolExecutor() as pool:
        result = pool.submit(start, new_client(pause_seconds, model="m"))
        call = upstream.next_call().start_stream()
        stream = result.result(10)
        began_at = stream._last_event_at
        reading = pool.submit(lambda: texts.extend(stream))
        call.send_event(choices=[{"delta": {"role": "assistant"}}])
        wait_until(lambda: stream._last_event_at > began_at)
        call.delta("Hi")
        call.complete()
        reading.result(10)

    assert texts == ["Hi"]
    assert [] not in pauses


# Ends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "wait_seconds"),
    [(HI, 600), (wire_formats.STREAMS["MiniMax: a final message without a delta"].body, 0.01)],
    ids=["end and usage", "end without usage, after a wait"],
)
def test_reply_ends_although_the_server_keeps_the_connection_open_after(
    new_client: NewClient,
    upstream: Upstream,
    monkeypatch: pytest.MonkeyPatch,
    stream: bytes,
    wait_seconds: float,
):
    monkeypatch.setattr("twindow.service.llm.completion_stream.FINAL_SECONDS", wait_seconds)
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(ask, new_client(model="m", model_timeout=60))
        with closing(upstream.next_call().start_stream()) as call:
            call.send_bytes(stream.removesuffix(DONE))
            assert reply.result(10) == "Hi there"


def test_reason_of_the_end_is_known_in_the_words_of_all_servers():
    reasons = {
        End.COMPLETE: "stop STOP eos eos_token end_turn stop_sequence complete completed "
        "tool_calls function_call",
        End.CUT_OFF: "length max_tokens MAX_TOKENS model_length max_output_tokens",
        End.FILTERED: "content_filter content_filter:violence SAFETY SPII refusal RECITATION "
        "BLOCKLIST PROHIBITED_CONTENT",
        End.FAILED: "error abort other insufficient_system_resource",
        None: "null unstoppable",
    }
    for end, words in reasons.items():
        for word in words.split():
            assert Chunk(finish_reason=word).end is end, word


def test_reply_at_the_token_limit_is_cut_off(client: ModelClient, upstream: Upstream):
    answer(upstream, sse(text("Half", "length")))
    stream = start(client)

    assert list(stream) == ["Half"]
    assert stream.is_cut_off


def test_filter_ends_a_reply_with_an_error(client: ModelClient, upstream: Upstream):
    answer(upstream, sse(HALF, chunk({}, "content_filter")))

    assert ask_in_vain(client) == ("Half", "The model server's content filter stopped this reply.")


# Bodies of refusals, which are in streams, too.
FLAT = {
    "FastAPI: detail": Recording("", sse(HALF, {"detail": "died"}), "died"),
    "vLLM: object": Recording("", sse(HALF, {"object": "error", "message": "died"}), "died"),
}


@recordings(wire_formats.FAILURES | FLAT)
def test_failure_within_a_stream_is_no_complete_reply_and_its_words_are_only_logged_for(
    client: ModelClient, upstream: Upstream, recording: Recording, caplog: pytest.LogCaptureFixture
):
    answer(upstream, recording.body)

    reported = "The model reported an error."
    reply, sentence = ask_in_vain(client)
    assert reply == "Half"
    assert sentence == (reported if recording.expected else "The model's reply was interrupted.")
    assert recording.expected in caplog.text


def test_reply_without_any_text_is_logged(
    client: ModelClient, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    answer(upstream, sse(chunk({"role": "assistant"}, "stop")))  # as Gemini sends it

    assert ask(client) == ""
    assert "The model wrote no text (stop)" in caplog.text


def test_garbage_is_no_reply(client: ModelClient, upstream: Upstream):
    garbage = {
        "JSON of another kind": b'data: {"hello": "world"}\n\n',
        "an array": b"data: []\n\n",
        "numbers for text": b'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
        "random bytes": bytes(range(256)) * 10,
        "nothing": b"",
    }
    for name, stream in garbage.items():
        answer(upstream, stream)
        assert ask_in_vain(client) == ("", "The model's reply was interrupted."), name


UNREADABLE: dict[str, tuple[int, str, str, dict[str, str]]] = {
    "page of a proxy": (200, "text/html", "<html><title>Sign in</title>", {}),
    "lines of JSON": (200, "application/x-ndjson", '{"message": {"content": "Hi"}}\n', {}),
    "result object": (200, "application/json", '{"code": 7, "msg": "no such model"}', {}),
    "moved": (308, "text/html", "<html><h1>Moved", {"location": "https://u:p@x.example/v1?k=s"}),
}


@pytest.mark.parametrize(("status", "kind", "body", "headers"), UNREADABLE.values(), ids=UNREADABLE)
def test_response_that_is_no_reply_is_described_in_one_line_of_the_log(
    new_client: NewClient,
    upstream: Upstream,
    caplog: pytest.LogCaptureFixture,
    status: int,
    kind: str,
    body: str,
    headers: dict[str, str],
):
    key = "configured.key"
    upstream.answers[CHAT_COMPLETIONS_PATH] = lambda call: call.respond(
        status, f"{body} \x1b {key}".encode(), content_type=kind, **headers
    )
    with suppress(ModelFailed):
        assert ask(new_client(model="m", model_key=key)) == ""

    [line] = [record.getMessage() for record in caplog.records if "odel" in record.getMessage()]
    assert f"status {status}, {kind}" in line
    assert ("redirect to https://x.example/v1:" if headers else f"{body.strip()} [key]") in line
    assert line.isprintable()


# Reasoning ---------------------------------------------------------------------------------------


@recordings(wire_formats.REASONING)
def test_reasoning_is_left_out_and_gets_tokens_of_its_own_from_the_second_reply_on_for(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    answer(upstream, recording.body)

    assert [ask(client), ask(client)] == [recording.expected or "Hi there", "Hi there"]
    assert [body["max_tokens"] for body in sent(upstream)] == [50, 4146]


@pytest.mark.parametrize(
    "tag", ["<think>", "<thinking>", "<thought>", "<reasoning>", "<seed:think>", "[THINK]"]
)
def test_reasoning_is_left_out_between(client: ModelClient, upstream: Upstream, tag: str):
    reply = f"\n{tag}A <b>greeting</b>.{tag[0]}/{tag[1:]}\nHi there"
    answer(upstream, sse(*map(text, reply)))

    assert ask(client) == "Hi there"


@pytest.mark.parametrize(
    "reply",
    [
        "Write <think>x</think> first.",
        "Models write `</think>` first, or </think> in a line.",
    ],
)
def test_reply_may_be_about_tags(client: ModelClient, upstream: Upstream, reply: str):
    answer(upstream, sse(text(reply, "stop")), HI)

    assert [ask(client), ask(client)] == [reply, "Hi there"]


def test_model_that_leaves_out_the_opening_tag_only_sometimes_keeps_its_replies(
    client: ModelClient, upstream: Upstream
):
    answer(upstream, wire_formats.REASONING["SGLang without a parser: closing tag only"].body, HI)
    ask(client)

    pieces = [list(start(client)) for _ in range(3)]
    assert pieces == [["Hi there"], ["Hi", " there"], ["Hi", " there"]]


def test_model_that_spends_its_tokens_on_reasoning_gets_more_at_once(
    client: ModelClient, upstream: Upstream
):
    thinking = sse(chunk({"reasoning": "Well, "}), chunk({"reasoning": ""}, "length"))
    answer(upstream, thinking, HI, thinking)

    assert ask(client) == "Hi there"
    assert ask_in_vain(client)[1].startswith("The model stopped before it wrote a reply")
    assert [body["max_tokens"] for body in sent(upstream)] == [50, 4146, 4146]


def test_model_that_ends_after_its_reasoning_is_not_asked_again(
    client: ModelClient, upstream: Upstream
):
    answer(upstream, sse(chunk({"reasoning": "Well."}), END), HI)

    assert ask_in_vain(client)[1].startswith("The model stopped before it wrote a reply")
    assert len(sent(upstream)) == 1


def test_tokens_for_reasoning_are_no_more_than_the_server_allows(
    client: ModelClient, upstream: Upstream
):
    refused = 400, wire_formats.REPLY_LENGTHS["DeepSeek"].body(4146)
    answer(upstream, wire_formats.REASONING["OpenRouter: reasoning"].body, refused, HI)

    assert [ask(client) for _ in range(3)] == ["Hi there"] * 3
    assert [body["max_tokens"] for body in sent(upstream)] == [50, 4146, 2048, 2048]


# Refusals ----------------------------------------------------------------------------------------


@recordings(wire_formats.OVERFLOWS)
def test_overflow_is_recognised_in_the_words_of(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    answer(upstream, recording)

    with pytest.raises(PromptTooLong):
        ask(client)
    assert len(sent(upstream)) == 1


@recordings(wire_formats.OTHER_LIMITS)
def test_another_limit_is_not_taken_for_an_overflow_of(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    answer(upstream, recording)

    assert ask_in_vain(client)[1].startswith(recording.expected)
    assert len(sent(upstream)) == 1


@pytest.mark.parametrize(
    "words",
    [
        "You exceeded your current quota.",
        "This request requires more credits, or fewer max_tokens.",
        "Upgrade your plan in your billing settings.",
        "Rate limit reached for this model.",
        "rate_limit_exceeded",
        "Limit of 6000 tokens per minute",
        "Limit of 6000 tokens per day",
        "Limit 30000 (TPM)",
    ],
)
def test_limit_of_use_is_told_from_the_context_length(words: str):
    assert is_overflow("maximum context length")
    assert not is_overflow(f"maximum context length: {words}")


IS_CHANGED: dict[str, Callable[[Any], bool]] = {
    "max_completion_tokens": lambda body: body.get("max_completion_tokens") == 50,
    "system role": lambda body: (
        body["messages"] == [{"role": "user", "content": "You are Ada.\n\nHello"}, *PROMPT[2:]]
    ),
    "no stream": lambda body: "stream" not in body,
}


@recordings(wire_formats.REFUSALS)
def test_refused_parameter_is_changed_once_and_remembered_for(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    parameter = recording.expected.removeprefix("drop ")
    is_changed = IS_CHANGED.get(recording.expected, lambda body: parameter not in body)

    def reply(call: Call) -> None:
        accepted = HI if call.body.get("stream") else (200, WHOLE)
        send(call, accepted if is_changed(call.body) else recording)

    upstream.answers[CHAT_COMPLETIONS_PATH] = reply
    assert [ask(client), ask(client)] == ["Hi there"] * 2
    assert len(sent(upstream)) == 3


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: seed",
        "seed is not supported",
        "Unknown name seed",
        "Unrecognized request argument: seed",
        "got an unexpected keyword argument 'seed'",
        "Invalid field seed",
        "seed can only be 0",
        "Extra fields: seed",
        "seed is not allowed",
        "seed is not permitted",
        "seed is deprecated",
        "seed is incompatible with this model",
    ],
)
def test_parameter_is_left_out_whatever_the_words_of_the_refusal(words: str):
    dialect = Dialect()
    body = dialect.request_body("m", PROMPT, {"seed": 1, "top_p": 1})
    dialect.learn(parse_refusal(400, words, None), body, limit=50)

    assert dialect.left_out == {"seed"}


def test_several_refusals_in_a_row_are_adapted(client: ModelClient, upstream: Upstream):
    options = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "stop")
    twin = FrontMatter(
        name="Ada",
        max_tokens=50,
        temperature=1,
        top_p=1,
        frequency_penalty=1,
        presence_penalty=1,
        seed=1,
        stop=["#"],
    )
    refused = [(400, {"error": f"{name} is not supported."}) for name in options]
    answer(upstream, *refused, HI)

    assert ask(client, twin) == "Hi there"
    assert sent(upstream)[-1].keys() == {
        "model",
        "messages",
        "max_tokens",
        "stream",
        "stream_options",
    }


@recordings(wire_formats.REPLY_LENGTHS)
def test_refused_length_of_a_reply_is_lowered_within_the_reply_and_remembered_for(
    client: ModelClient, upstream: Upstream, recording: Recording
):
    def reply(call: Call) -> None:
        tokens = call.body["max_tokens"]
        is_refused = tokens > recording.expected
        send(call, (recording.status, recording.body(tokens)) if is_refused else HI)

    upstream.answers[CHAT_COMPLETIONS_PATH] = reply
    assert [ask(client, LONG), ask(client, LONG)] == ["Hi there"] * 2
    first, *_, last, remembered = [body["max_tokens"] for body in sent(upstream)]
    assert first == 5000
    assert recording.expected - 300 < last <= recording.expected
    assert remembered == last


def test_refused_length_of_a_reply_without_a_maximum_is_left_out(
    client: ModelClient, upstream: Upstream
):
    error = {"message": "max_tokens is too large for model 3", "code": 400}
    answer(upstream, (400, {"error": error}), HI)

    assert [ask(client, LONG), ask(client, LONG)] == ["Hi there"] * 2
    assert ["max_tokens" in body for body in sent(upstream)] == [True, False, False]


@recordings(wire_formats.LOADING)
def test_loading_model_is_waited_for_until_the_time_is_over(
    client: ModelClient, upstream: Upstream, recording: Recording, caplog: pytest.LogCaptureFixture
):
    clock = client.clock = AdjustableClock()
    answer(upstream, recording, recording, HI)
    assert ask(client) == "Hi there"
    assert caplog.text.count("Loading model") == 1

    def pass_time(call: Call) -> None:
        clock.advance(MODEL_TIMEOUT_SECONDS)
        send(call, recording)

    upstream.answers[CHAT_COMPLETIONS_PATH] = pass_time
    assert ask_in_vain(client)[1] == "The model is still loading. Try again in a minute."


def test_refusal_that_no_change_answers_is_sent_once_and_logged_without_keys(
    new_client: NewClient, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    key = "configured.key"
    answer(upstream, (400, {"error": f"The deployment is paused, key sk-abcdefgh1234, {key}"}))

    sentence = ask_in_vain(new_client(model="m", model_key=key))[1]
    assert sentence == "The model has a problem right now."
    assert "The deployment is paused, key [key], [key]" in caplog.text
    assert len(sent(upstream)) == 1


def test_words_of_an_error_are_found_in_a_body_of_any_shape():
    raw = '{"error": {"message": "died"}}'
    bodies: list[Any] = [
        {"error": "died", "code": 500},
        [{"error": {"message": "died"}}],
        {"object": "error", "message": {"detail": [{"loc": ["body"], "msg": "died"}]}},
        {"error": {"type": "x", "reason": "died"}},
        {"error": {"message": "Provider returned error", "metadata": {"raw": raw}}},
        {"message": raw},
    ]
    assert [error_sentence(body) for body in bodies] == ["died"] * len(bodies)


@pytest.mark.parametrize(
    "key",
    ["sk-a.b1*2", "pk_live1", "key-12345", "gsk_12345", "xai-1234", "hf_12345", "Bearer eyJh"],
)
def test_keys_of_usual_forms_are_not_repeated_from_an_error(key: str):
    assert error_sentence({"message": f"Wrong key {key}, sorry"}).startswith("Wrong key [key]")


# Models and addresses ----------------------------------------------------------------------------

# Lists of other forms.
LISTS: dict[str, Recording] = {
    "type": Recording("", {"data": [{"id": "a", "type": "embedding"}, {"id": "b"}]}, "b"),
    "models": Recording("", {"models": [{"name": "b", "model": "b"}]}, "b"),
    "bare array": Recording("", [{"id": "whisper-1"}, {"id": "b"}], "b"),
}


@recordings(wire_formats.MODEL_LISTS | LISTS)
def test_first_chat_model_is_chosen_once_from_the_list_of(
    new_client: NewClient, upstream: Upstream, recording: Recording
):
    upstream.answers["/v1/models"] = 200, recording.body
    answer(upstream, HI)
    client = new_client()

    assert [ask(client), ask(client)] == ["Hi there"] * 2
    assert [body["model"] for body in sent(upstream)] == [recording.expected] * 2
    is_known = recording.expected != "default"
    assert len(upstream.calls) == (3 if is_known else 4)


def test_models_for_other_tasks_are_known_by_their_names():
    others = (
        "text-embedding-3-large nomic-embed-text:latest bge-m3 jina-reranker-v2 whisper-1 "
        "gpt-4o-transcribe tts-1-hd openai/tts-1 gpt-4o-realtime-preview dall-e-3 gpt-image-1 "
        "stable-diffusion-xl flux-1 omni-moderation-latest meta-llama/llama-guard-4-12b "
        "babbage-002 davinci-002 gpt-3.5-turbo-instruct gte-large e5-base mistral-ocr-2505"
    )
    chats = (
        "gpt-4o-mini gpt-3.5-turbo-0125 qwen/qwen3-32b mistral-medium-2505 deepseek-chat "
        "models/gemini-2.5-flash llama3.2:latest qwen2.5-7b-instruct /srv/images/llama.gguf "
        "/data/vllm_models/DeepSeek-R1-Distill-Qwen-14B Qwen3-0.6B-Q4_K_M"
    )
    assert list(filter(can_chat, others.split())) == []
    assert [name for name in chats.split() if not can_chat(name)] == []


def test_server_without_a_chat_model_is_named_as_the_cause(
    new_client: NewClient, upstream: Upstream
):
    upstream.answers["/v1/models"] = 200, {"data": [{"id": "bge-m3"}, {"id": "whisper-1"}]}

    assert ask_in_vain(new_client())[1].startswith("The model server has no chat model.")
    assert sent(upstream) == []


def test_model_is_looked_up_again_if_the_server_has_it_no_longer(
    new_client: NewClient, upstream: Upstream
):
    client = new_client()
    upstream.answers["/v1/models"] = 200, {"data": [{"id": "old"}]}
    answer(upstream, HI, (404, {"error": "model 'old' not found"}), HI)
    assert ask(client) == "Hi there"

    upstream.answers["/v1/models"] = 200, {"data": [{"id": "new"}]}
    assert ask_in_vain(client)[1].startswith("The model server doesn't have this model.")
    assert ask(client) == "Hi there"
    assert [body["model"] for body in sent(upstream)] == ["old", "old", "new"]


def test_model_is_looked_up_again_after_the_list_was_unavailable(
    new_client: NewClient, upstream: Upstream
):
    client = new_client()
    answer(upstream, HI)
    for listed in ((503, {}), (200, {"data": [{"id": "first"}]})):
        upstream.answers["/v1/models"] = listed
        ask(client)

    assert [body["model"] for body in sent(upstream)] == ["default", "first"]


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
    new_client: NewClient, upstream: Upstream, suffix: str, path: str
):
    upstream.answers[path.partition("?")[0]] = lambda call: send(call, HI)

    assert ask(new_client(model="m", model_url=upstream.url + suffix)) == "Hi there"
    assert upstream.calls[-1].path == path
