"""Server-sent events: reading as WHATWG HTML 9.2.6 specifies, and writing safe frames."""

import json

import pytest

from core import sse
from core.sse import ServerSentEvent


def data(stream: bytes, size: int | None = None) -> list[str]:
    return [event.data for event in events(stream, size)]


def events(stream: bytes, size: int | None = None) -> list[ServerSentEvent]:
    size = size or len(stream) or 1
    return list(sse.read_events(stream[i : i + size] for i in range(0, len(stream), size)))


CASES = {
    "one line": (b"data: a\n\n", ["a"]),
    "two lines": (b"data: a\ndata: b\n\n", ["a\nb"]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
    "cr": (b"data: a\r\rdata: b\r\r", ["a", "b"]),
    "mixed ends": (b"data: a\r\n\ndata: b\n\r\n", ["a", "b"]),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", ["b"]),
    "comments": (b": x\ndata: a\n: y\n\n:\n\n", ["a"]),
    "no space, one space, two spaces": (b"data:a\n\ndata: a\n\ndata:  a\n\n", ["a", "a", " a"]),
    "empty data": (b"data:\n\ndata\n\n", ["", ""]),
    "unknown fields": (b"Data: x\n data: y\ndata: a\nwhatever\n\n", ["a"]),
    "unfinished end": (b"data: a\n\ndata: b", ["a"]),
    "unfinished block": (b"data: a\n\ndata: b\n", ["a"]),
    "no data": (b"event: x\n\nid: 1\n\n", []),
    "umlauts and emoji": ("data: ü 🙂 \u2028 \x85\n\n".encode(), ["ü 🙂 \u2028 \x85"]),
    "invalid utf-8": (b"data: a\xffb\n\ndata: c\n\n", ["a\ufffdb", "c"]),
    "nul": (b"data: a\x00b\n\n", ["a\x00b"]),
    "nothing": (b"", []),
}


def test_stream_is_parsed_the_same_however_it_is_split_into_chunks():
    wrong = [
        (case, size)
        for case, (stream, expected) in CASES.items()
        for size in (None, 1, 2, 3, 7)
        if data(stream, size) != expected
    ]

    assert wrong == []


def test_event_name_applies_to_one_event_only():
    assert events(b"event: x\ndata: 1\n\ndata: 2\n\n") == [
        ServerSentEvent("x", "1"),
        ServerSentEvent("message", "2"),
    ]


ENDLESS = {
    "a line without end": b"data: " + b"x" * (10 * sse.MAX_EVENT_BYTES),
    "a long comment": b": " + b"x" * (10 * sse.MAX_EVENT_BYTES) + b"\n\n",
    "many short lines": b"data: x\n" * (10 * sse.MAX_EVENT_LINES),
    "many long lines": (b"data: " + b"x" * 9000 + b"\n") * 1_200,
}


def test_event_size_is_bounded():
    read = []
    for name, stream in ENDLESS.items():
        for size in (65536, None):
            try:
                read.append((name, size, len(data(stream, size))))
            except sse.EventTooLarge:
                continue

    assert read == []


def test_event_before_one_that_is_too_large_is_read():
    stream = b"data: a\n\n" + b"data: x\n" * (2 * sse.MAX_EVENT_LINES) + b"\n"
    read = sse.read_events([stream])

    assert next(read).data == "a"
    with pytest.raises(sse.EventTooLarge):
        next(read)


def test_comments_before_an_event_do_not_count_as_its_lines():
    heartbeats = b": wait\n" * (2 * sse.MAX_EVENT_LINES)

    assert data(heartbeats + b"data: a\n\n", 70) == ["a"]


def test_size_limit_applies_to_each_event_separately():
    one = b"data: " + b"x" * 60_000 + b"\n\n"

    assert len(data(one * 40, 65536)) == 40


FRAMED = ["a\nb", "a\r\n\r\nevent: done", "\n", "", "id: 1\r", "🙂\u2028"]


def test_written_frames_are_read_back_unchanged():
    wrong = []
    for words in FRAMED:
        [event] = events(sse.frame(json.dumps(words)).encode())
        [plain] = events(sse.frame(words, event="x", id=3).encode())
        lines = words.replace("\r\n", "\n").replace("\r", "\n")
        if json.loads(event.data) != words or plain != ServerSentEvent("x", lines):
            wrong.append((words, event, plain))

    assert wrong == []
