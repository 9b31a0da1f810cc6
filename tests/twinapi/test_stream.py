"""Streamed replies: they end with an end event or raise, within limits of size and time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

import twinapi
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twinapi import Complete, Delta, Failed, Progress
from twinapi.stream import MAX_REPLY_CHARACTERS, ReplyStream


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def read(client: twinapi.Client) -> list[twinapi.Event]:
    return list(client.stream_message("c1", "hello"))


def test_events_are_read_as_they_arrive(client: twinapi.Client, upstream: Upstream, pool):
    stream = iter(client.stream_message("c1", "hello"))
    first = pool.submit(next, stream)
    call = upstream.next_call().start_stream()
    call.send_event(type="progress", progress=0.5)
    assert first.result(10) == Progress("", 50.0)
    call.delta("Hel")
    assert next(stream) == Delta("Hel")
    call.send_event(type="complete", message={"content": "Hello"})
    assert next(stream) == Complete("Hello")
    assert list(stream) == []


def event_chunk(**event: object) -> bytes:
    data = f"data: {json.dumps(event)}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(data), data)


def test_deltas_that_have_arrived_are_read_together(client, upstream: Upstream, pool):
    first, second, third = [event_chunk(type="delta", content=text) for text in ("a", "b", "c")]
    stream = iter(client.stream_message("c1", "hello"))
    result = pool.submit(next, stream)
    call = upstream.next_call().start_stream(transfer_encoding="chunked")
    call.send_bytes(first + second + third[:3])
    assert result.result(10) == Delta("ab")
    call.send_bytes(third[3:] + event_chunk(type="complete", message="abc") + b"0\r\n\r\n")

    assert list(stream) == [Delta("c"), Complete("abc")]


def test_text_so_far_in_each_delta_appears_once(client, upstream: Upstream, pool):
    stream = iter(client.stream_message("c1", "hello"))
    result = pool.submit(list, stream)
    call = upstream.next_call().start_stream()
    for text in ("Hi", "Hi the", "Hi there"):
        call.delta(text)
    call.send_event(type="complete")
    call.close()

    *deltas, complete = result.result(10)
    assert "".join(delta.text for delta in deltas) == "Hi there"
    assert complete == Complete(None)


def test_text_before_a_broken_chunk_is_kept(client, upstream: Upstream, pool):
    stream = iter(client.stream_message("c1", "hello"))
    result = pool.submit(next, stream)
    call = upstream.next_call().start_stream(transfer_encoding="chunked")
    call.send_bytes(event_chunk(type="delta", content="a") + b"5zz\r\nhello\r\n")

    assert result.result(10) == Delta("a")
    with pytest.raises(twinapi.StreamInterrupted):
        next(stream)


def test_busy_process_reads_less_often(upstream: Upstream, pool):
    calls: list[Call] = []
    texts = iter(("bc", "de"))

    def pause_seconds() -> float:
        for text in next(texts, ""):
            calls[0].delta(text)
        return 0.001

    client = twinapi.Client(upstream.url, UPSTREAM_KEY, pause_seconds=pause_seconds)
    stream = iter(client.stream_message("c1", "hello"))
    result = pool.submit(lambda: [next(stream) for _ in range(3)])
    calls.append(upstream.next_call().start_stream())
    calls[0].delta("a")

    assert result.result(10) == [Delta("a"), Delta("bc"), Delta("de")]
    calls[0].close()
    client.close()


def test_busy_process_reads_what_has_arrived_at_once_and_never_delays_the_first_delta(
    upstream: Upstream, pool
):
    calls: list[Call] = []
    pauses: list[float] = []

    def pause_seconds() -> float:
        assert stream.delta_count
        pauses.append(0.001)
        for _ in range(20):
            calls[0].delta("x" * 1_000)
        return pauses[-1]

    client = twinapi.Client(upstream.url, UPSTREAM_KEY, pause_seconds=pause_seconds)
    stream = client.stream_message("c1", "hello")
    events = iter(stream)
    progress = pool.submit(next, events)
    calls.append(upstream.next_call().start_stream())
    calls[0].send_event(type="progress", message="thinking")
    progress.result(10)
    calls[0].delta("a")

    assert next(events) == Delta("a")
    text = ""
    while len(text) < 20_000:
        text += getattr(next(events), "text", "")
    assert text == "x" * 20_000
    assert len(pauses) == 1
    calls[0].close()
    client.close()


def test_stream_closed_during_a_pause_reads_no_more_events(upstream: Upstream, pool):
    streams: list[ReplyStream] = []
    calls: list[Call] = []

    def pause_seconds() -> float:
        calls[0].send_event(type="error", message="restarting")
        streams[0].close()
        return 0.001

    client = twinapi.Client(upstream.url, UPSTREAM_KEY, pause_seconds=pause_seconds)
    streams.append(client.stream_message("c1", "hello"))
    result = pool.submit(list, streams[0])
    calls.append(upstream.next_call().start_stream())
    calls[0].delta("a")

    assert result.result(10) == [Delta("a")]
    calls[0].close()
    client.close()


def test_data_after_the_complete_event_is_ignored(client: twinapi.Client, upstream: Upstream, pool):
    result = pool.submit(read, client)
    call = upstream.next_call().start_stream()
    call.send_bytes(
        b'data: {"type":"complete","message":"Hi"}\n\ndata: {"type":"delta","content":"x"}\n\n'
    )

    assert result.result(10) == [Complete("Hi")]
    assert call.wait_for_disconnect()


ENDLESS = [
    b"",
    b'data: {"type":"delta","content":"Hi"}\n\n',
    b'data: {"type":"complete","message":"torn"}',
    b'data: {"type":"complete","mess\n\n',
    b"data: [DONE]\n\n",
]


def test_streams_without_an_end_raise_stream_interrupted(client, upstream: Upstream, pool):
    wrong = []
    for stream in ENDLESS:
        result = pool.submit(read, client)
        call = upstream.next_call().start_stream()
        call.send_bytes(stream)
        call.close()
        if not isinstance(result.exception(10), twinapi.StreamInterrupted):
            wrong.append(stream)

    assert wrong == []


def test_broken_chunks_raise_stream_interrupted(client, upstream: Upstream, pool):
    for chunks in (b"5\r\ndata:", b"zz\r\n"):
        result = pool.submit(read, client)
        call = upstream.next_call()
        call.send_head(200, content_type="text/event-stream", transfer_encoding="chunked")
        call.send_bytes(chunks)
        call.close()
        assert isinstance(result.exception(10), twinapi.StreamInterrupted), chunks


def test_response_that_is_no_stream_is_described(client, upstream: Upstream, pool):
    for kind in ("text/html", "application/json"):
        result = pool.submit(read, client)
        upstream.next_call().respond(
            200, b"<h1>Sign in\n" + UPSTREAM_KEY.encode(), content_type=kind
        )
        error = result.exception(10)
        assert isinstance(error, twinapi.TwinApiError)
        assert error.code == "unexpected_response"
        assert error.detail == f"status 200, {kind}, <h1>Sign in [key]"


@pytest.mark.limit("L21")
def test_heartbeats_do_not_extend_the_timeouts(upstream: Upstream, pool):
    cases = [
        ({"timeout": 0.5}, "idle_timeout"),
        ({"reply_timeout": 0.5}, "total_timeout"),
    ]
    clients = [twinapi.Client(upstream.url, UPSTREAM_KEY, **bounds) for bounds, _ in cases]
    results = [pool.submit(read, client) for client in clients]
    for _ in clients:
        pool.submit(upstream.next_call().start_stream().send_until_disconnect)

    for result, (_, code) in zip(results, cases, strict=True):
        error = result.exception(10)
        assert isinstance(error, twinapi.StreamInterrupted)
        assert error.code == code
    for client in clients:
        client.close()


def test_endless_line_raises_stream_too_large(client, upstream: Upstream, pool):
    result = pool.submit(read, client)
    call = upstream.next_call().start_stream()
    with suppress(OSError):
        for _ in range(1000):
            call.send_bytes(b"x" * 65536)

    with pytest.raises(twinapi.StreamTooLarge):
        result.result(10)


def test_text_beyond_the_limit_raises_stream_too_large(client, upstream: Upstream, pool):
    texts: list[str] = []

    def read_texts() -> None:
        texts.extend(event.text for event in client.stream_message("c1", "hello"))

    result = pool.submit(read_texts)
    call = upstream.next_call().start_stream()
    with suppress(OSError):
        for letter in "abcdefghijklmnopqrst":
            call.delta(letter * (MAX_REPLY_CHARACTERS // 2))

    with pytest.raises(twinapi.StreamTooLarge):
        result.result(10)
    assert len("".join(texts)) == MAX_REPLY_CHARACTERS


def test_close_ends_a_waiting_stream(client, upstream: Upstream, pool):
    stream = client.stream_message("c1", "hello")
    result = pool.submit(list, stream)
    call = upstream.next_call().start_stream()
    call.delta("Hi")

    hung_up = pool.submit(call.wait_for_disconnect)
    stream.close()

    assert hung_up.result(10)
    assert result.result(10)[:1] in ([], [Delta("Hi")])


def test_json_response_is_read_as_a_whole_reply(client, upstream: Upstream, pool):
    result = pool.submit(read, client)
    upstream.next_call().respond(200, {"data": {"content": "All at once"}})

    assert result.result(10) == [Complete("All at once")]


def test_whole_reply_is_requested_from_a_service_without_streaming(
    client, upstream: Upstream, pool
):
    for status in (405, 501):
        upstream.calls.clear()
        result = pool.submit(read, client)
        upstream.next_call().respond(status, {"error": "no"})
        call = upstream.next_call()
        call.respond(201, {"data": {"content": "Hi"}})

        assert call.path == "/api/v1/conversations/c1/messages"
        assert result.result(10) == [Complete("Hi")]
        assert len(upstream.calls) == 2


def test_error_event_ends_the_stream(client, upstream: Upstream, pool):
    result = pool.submit(read, client)
    upstream.next_call().start_stream().send_bytes(b'data: {"type":"error","error":"tired"}\n\n')

    assert result.result(10) == [Failed("tired")]


@pytest.mark.limit("L20")
def test_slow_response_headers_time_out(upstream: Upstream, pool):
    client = twinapi.Client(upstream.url, UPSTREAM_KEY, timeout=0.5)
    result = pool.submit(list, client.stream_message("c1", "hello"))
    call = upstream.next_call()
    call.send_bytes(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    call.send_until_disconnect(b"x")

    with pytest.raises(twinapi.ConnectionFailed) as error:
        result.result(10)
    assert error.value.code == "response_timeout"
    assert error.value.perhaps_received
    client.close()


def test_slow_response_body_times_out(upstream: Upstream, pool):
    client = twinapi.Client(upstream.url, UPSTREAM_KEY, timeout=0.5)
    upstream.unanswered_paths.add("/api/v1/twins")
    result = pool.submit(client.list_twins)
    call = upstream.next_call()
    call.send_head(200, content_type="application/json")
    call.send_until_disconnect(b" ")

    with pytest.raises(twinapi.TwinApiError):
        result.result(10)
    client.close()


def test_key_is_masked_in_progress(client: twinapi.Client, upstream, pool):
    result = pool.submit(read, client)
    call = upstream.next_call().start_stream()
    call.send_event(type="progress", progress=f"{'x' * 90} {UPSTREAM_KEY}")
    call.complete("Hi")

    assert result.result(10) == [Progress(f"{'x' * 90} •••"), Complete("Hi")]


def test_interrupted_reply_keeps_text_that_resembles_the_beginning_of_a_key(
    client: twinapi.Client, upstream, pool
):
    stream = client.stream_message("c1", "hello")
    events = pool.submit(lambda: [event.text for event in until_interrupted(stream)])
    call = upstream.next_call().start_stream()
    call.delta(f"It is {UPSTREAM_KEY[:5]}")
    call.close()

    assert "".join(events.result(10)) == f"It is {UPSTREAM_KEY[:5]}"


def until_interrupted(stream: twinapi.ReplyStream) -> Iterator[twinapi.Event]:
    with suppress(twinapi.StreamInterrupted):
        yield from stream
