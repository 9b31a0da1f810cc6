"""Streamed replies: they end with an end event or raise, within limits of size and time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twindow import twinapi
from twindow.core.sse import MAX_EVENT_BYTES
from twindow.twinapi import Complete, Delta, Failed, Progress
from twindow.twinapi.stream import MAX_REPLY_CHARACTERS, ReplyStream

HALF = b'data: {"type":"delta","content":"Half"}\n\n'
DONE = b'data: {"type":"complete","message":"Done"}\n\n'
ERROR = b'data: {"type":"error","error":"tired"}\n\n'
CHUNKED = {"transfer_encoding": "chunked"}

# The events of a reply, and the code of the error that ended it, or "".
Result = tuple[list[twinapi.Event], str]
ReadReply = Callable[..., Result]


def read(client: twinapi.Client) -> Result:
    events: list[twinapi.Event] = []
    try:
        events.extend(client.stream_message("c1", "hello"))
    except twinapi.TwinApiError as error:
        return events, error.code
    return events, ""


@pytest.fixture
def read_reply(client: twinapi.Client, upstream: Upstream, pool: ThreadPoolExecutor) -> ReadReply:
    """Return a function that reads a reply; its argument answers the call."""

    def read_reply(act: Callable[[Call], Any]) -> Result:
        result = pool.submit(read, client)
        act(upstream.next_call())
        return result.result(10)

    return read_reply


def stream(*parts: bytes, **headers: str) -> Callable[[Call], None]:
    """Return an action that streams these bytes and closes the connection."""

    def act(call: Call) -> None:
        call.start_stream(**headers).send_bytes(b"".join(parts))
        call.close()

    return act


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


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def event_chunk(**event: object) -> bytes:
    return chunk(f"data: {json.dumps(event)}\n\n".encode())


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


ENDED_TWICE: list[tuple[bytes, Result]] = [
    (DONE + DONE.replace(b"Done", b"Again"), ([Complete("Done")], "")),
    (DONE + ERROR, ([Complete("Done")], "")),
    (DONE + HALF, ([Complete("Done")], "")),
    (ERROR + DONE, ([Failed("tired")], "")),
]


@pytest.mark.spec("S82")
def test_first_end_event_wins_and_closes_the_connection(read_reply: ReadReply):
    for events, expected in ENDED_TWICE:
        disconnected: list[bool] = []

        def act(call: Call, events=events, disconnected=disconnected) -> None:
            call.start_stream().send_bytes(events)
            disconnected.append(call.wait_for_disconnect())

        assert read_reply(act) == expected
        assert disconnected == [True]


def reset(call: Call) -> None:
    call.start_stream().send_bytes(HALF)
    call.reset()


BROKEN = {
    "just ends": stream(HALF),
    "is reset": reset,
    "ends within an event": stream(HALF, b'data: {"type":"delta","content":"torn"}\n'),
    "ends within its end": stream(HALF, b'data: {"type":"complete","message":"torn"}'),
    "has an end that is no JSON": stream(HALF, b'data: {"type":"complete","mess\n\n'),
    "ends as those of model servers": stream(HALF, b"data: [DONE]\n\n"),
    "ends within a chunk": stream(chunk(HALF), b"ff\r\ndata:", **CHUNKED),
    "ends without the last chunk": stream(chunk(HALF), **CHUNKED),
    "has a chunk without a length": stream(chunk(HALF), b"zz\r\n", **CHUNKED),
    "has a bad chunk length": stream(chunk(HALF), b"5zz\r\nhello\r\n", **CHUNKED),
}


def test_stream_without_an_end_event_is_interrupted_after_its_text(read_reply: ReadReply):
    found = {name: read_reply(act) for name, act in BROKEN.items()}

    assert found == dict.fromkeys(BROKEN, ([Delta("Half")], "stream_interrupted"))
    assert read_reply(stream(b"")) == ([], "stream_interrupted")


def test_stream_is_decompressed_as_it_arrives(client, upstream: Upstream, pool):
    events = iter(client.stream_message("c1", "hello"))
    first = pool.submit(next, events)
    call = upstream.next_call().start_stream(content_encoding="gzip")
    packer = zlib.compressobj(wbits=31)
    call.send_bytes(packer.compress(HALF) + packer.flush(zlib.Z_SYNC_FLUSH))
    assert first.result(10) == Delta("Half")
    call.send_bytes(packer.compress(DONE) + packer.flush())

    assert list(events)[-1] == Complete(None, is_text_ignored=True)
    assert call.headers["Accept-Encoding"] == "identity"


WHOLE = {"data": {"content": "All at once"}}


def test_json_response_is_read_as_a_whole_reply(read_reply: ReadReply):
    for kind in ("application/json", "application/json; charset=utf-8"):
        seen = read_reply(lambda call, kind=kind: call.respond(200, WHOLE, content_type=kind))
        assert seen == ([Complete("All at once")], "")


def respond_without_body(status: int) -> Callable[[Call], None]:
    """Return an action that responds without a body and without a content type."""

    def act(call: Call) -> None:
        call.send_head(status)
        call.close()

    return act


def test_response_without_a_body_is_an_empty_reply(read_reply: ReadReply):
    empty = (respond_without_body(202), respond_without_body(204), lambda c: c.respond(202, b""))

    assert [read_reply(act) for act in empty] == [([Complete(None)], "")] * 3


def test_response_that_is_no_stream_is_described(client, upstream: Upstream, pool):
    for kind in ("text/html", "text/plain", "application/json"):
        result = pool.submit(list, client.stream_message("c1", "hello"))
        upstream.next_call().respond(
            200, b"<h1>Sign in\n" + UPSTREAM_KEY.encode(), content_type=kind
        )
        error = result.exception(10)
        assert isinstance(error, twinapi.TwinApiError)
        assert error.code == "unexpected_response"
        assert error.detail == f"status 200, {kind}, <h1>Sign in [key]"


PROGRESS = b'data: {"type":"progress","progress":1}\n\n'
HEARTBEATS = [
    ({"timeout": 0.5}, b": still here\n\n", "idle_timeout"),
    ({"timeout": 0.5}, b"data: []\n\n", "idle_timeout"),
    ({"reply_timeout": 0.5}, PROGRESS, "total_timeout"),
]


@pytest.mark.limit("L21")
def test_heartbeats_do_not_extend_the_timeouts(upstream: Upstream, pool):
    clients = [twinapi.Client(upstream.url, UPSTREAM_KEY, **bounds) for bounds, _, _ in HEARTBEATS]
    results = []
    for client, (_, beat, _) in zip(clients, HEARTBEATS, strict=True):
        results.append(pool.submit(read, client))
        pool.submit(upstream.next_call().start_stream().send_until_disconnect, beat)

    codes = [result.result(10)[1] for result in results]
    assert codes == [code for _, _, code in HEARTBEATS]
    for client in clients:
        client.close()


def test_endless_line_is_cut_off_before_it_is_read_completely(read_reply: ReadReply):
    taken = 0

    def act(call: Call) -> None:
        nonlocal taken
        call.start_stream().send_bytes(HALF + b"data: ")
        with suppress(OSError):
            while taken < 50 * 1024 * 1024:
                call.send_bytes(b"x" * 65536)
                taken += 65536

    assert read_reply(act) == ([Delta("Half")], "stream_too_large")
    assert taken < 20 * 1024 * 1024


def test_gzip_bomb_is_stopped_at_the_limit(read_reply: ReadReply):
    megabyte = gzip.compress((b": " + b"x" * 1021 + b"\n") * 1024)
    bomb = stream(gzip.compress(HALF), megabyte * 200, content_encoding="gzip")

    def act(call: Call) -> None:
        with suppress(OSError):
            bomb(call)

    assert read_reply(act) == ([Delta("Half")], "stream_too_large")


def test_delta_may_be_as_large_as_the_event_limit(read_reply: ReadReply):
    text = b"x" * (MAX_EVENT_BYTES - len(HALF) + len("Half"))

    events, _ = read_reply(stream(HALF.replace(b"Half", text), DONE))
    assert "".join(event.text for event in events if isinstance(event, Delta)) == text.decode()


def test_text_beyond_the_limit_raises_stream_too_large(read_reply: ReadReply):
    def act(call: Call) -> None:
        call.start_stream()
        with suppress(OSError):
            for letter in "abcdefghijklmnopqrst":
                call.delta(letter * (MAX_REPLY_CHARACTERS // 2))

    events, code = read_reply(act)
    assert code == "stream_too_large"
    assert sum(len(event.text) for event in events) == MAX_REPLY_CHARACTERS


def test_close_ends_a_waiting_stream(client, upstream: Upstream, pool):
    stream = client.stream_message("c1", "hello")
    result = pool.submit(list, stream)
    call = upstream.next_call().start_stream()
    call.delta("Hi")

    hung_up = pool.submit(call.wait_for_disconnect)
    stream.close()

    assert hung_up.result(10)
    assert result.result(10)[:1] in ([], [Delta("Hi")])


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
        assert result.result(10) == ([Complete("Hi")], "")
        assert len(upstream.calls) == 2


@pytest.mark.limit("L20")
def test_slow_response_headers_time_out(upstream: Upstream, pool):
    client = twinapi.Client(upstream.url, UPSTREAM_KEY, timeout=0.5)
    result = pool.submit(list, client.stream_message("c1", "hello"))
    call = upstream.next_call()
    call.send_bytes(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    pool.submit(call.send_until_disconnect, b"x")

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
    pool.submit(call.send_until_disconnect, b" ")

    with pytest.raises(twinapi.TwinApiError):
        result.result(10)
    client.close()


def test_key_is_masked_in_progress(read_reply: ReadReply):
    progress = json.dumps({"type": "progress", "progress": f"{'x' * 90} {UPSTREAM_KEY}"})

    events, _ = read_reply(stream(f"data: {progress}\n\n".encode(), DONE))
    assert events == [Progress(f"{'x' * 90} •••"), Complete("Done")]


def test_interrupted_reply_keeps_text_that_resembles_the_beginning_of_a_key(
    read_reply: ReadReply,
):
    text = f"It is {UPSTREAM_KEY[:5]}"

    events, _ = read_reply(stream(HALF.replace(b"Half", text.encode())))
    assert events == [Delta(text)]
