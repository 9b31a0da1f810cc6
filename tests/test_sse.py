"""Reading by the rules of WHATWG HTML 9.2.6 in any split; writing frames that nothing can break."""

import json

import pytest

import sse
from sse import ServerSentEvent


def data(stream: bytes, size: int | None = None) -> list[str]:
    return [event.data for event in events(stream, size)]


def events(stream: bytes, size: int | None = None) -> list[ServerSentEvent]:
    size = size or len(stream) or 1
    return list(sse.read(stream[i : i + size] for i in range(0, len(stream), size)))


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


@pytest.mark.parametrize("size", [None, 1, 2, 3, 7])
@pytest.mark.parametrize("case", CASES)
def test_a_stream_reads_the_same_in_any_split(case: str, size: int | None):
    stream, expected = CASES[case]

    assert data(stream, size) == expected


def test_the_name_of_an_event_is_its_own():
    assert events(b"event: x\ndata: 1\n\ndata: 2\n\n") == [
        ServerSentEvent("x", "1"),
        ServerSentEvent("message", "2"),
    ]


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b"data: " + b"x" * (2 * sse.MAX_EVENT_BYTES), id="a line without end"),
        pytest.param(b": " + b"x" * (2 * sse.MAX_EVENT_BYTES) + b"\n\n", id="a long comment"),
        pytest.param(b"data: x\n" * sse.MAX_EVENT_BYTES, id="many short lines"),
        pytest.param((b"data: " + b"x" * 9000 + b"\n") * 200, id="many long lines"),
    ],
)
@pytest.mark.parametrize("size", [65536, None], ids=["in pieces", "at once"])
def test_one_event_is_bounded(stream: bytes, size: int | None):
    with pytest.raises(sse.TooLarge):
        data(stream, size)


def test_many_events_are_not_one():
    one = b"data: " + b"x" * 60_000 + b"\n\n"

    assert len(data(one * 40, 65536)) == 40


@pytest.mark.parametrize("words", ["a\nb", "a\r\n\r\nevent: done", "\n", "", "id: 1\r", "🙂\u2028"])
def test_a_frame_comes_back_as_it_was_written(words: str):
    [event] = events(sse.frame(json.dumps(words)).encode())
    [plain] = events(sse.frame(words, event="x", id=3).encode())

    assert json.loads(event.data) == words
    assert plain == ServerSentEvent("x", words.replace("\r\n", "\n").replace("\r", "\n"))
