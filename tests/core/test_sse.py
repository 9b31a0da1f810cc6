"""Server-sent events: reading as WHATWG HTML 9.2.6 specifies, and writing safe frames."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from twindow.core import sse
from twindow.core.sse import ServerSentEvent

FRAGMENTS = [
    b"data",
    b"event",
    b"id",
    b"retry",
    b"Data",
    b"data: ",
    b"event: x",
    b"id: 1",
    b"retry: 9",
    b":",
    b": comment",
    b" ",
    b"\t",
    b"\0",
    b"x",
    b"{}",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"\xbf",
    b"\xff",
    b"\xc3",
    b"\xa4",
    b"\xf0\x9f\x99\x82",
    b"\xf0\x9f",
    "\u2028".encode(),
    "\x85".encode(),
    b"\xed\xa0\x80",
    b"data: a\n\n",
    b"data: b\r\n\r\n",
    b"data: c\r\n",
    b"data: d\r",
    b"data: e\n",
    b"event: f\r\n",
]
streams = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=4)), max_size=40).map(
    b"".join
)


def by_the_standard(stream: bytes) -> list[ServerSentEvent]:
    """Read a whole stream with the steps of the standard."""
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    *lines, _unfinished = re.split("\r\n|\r|\n", text)
    events: list[ServerSentEvent] = []
    data: list[str] = []
    name = ""
    for line in lines:
        if not line:
            if data:
                events.append(ServerSentEvent(name or "message", "\n".join(data)))
            data, name = [], ""
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return events


def split(stream: bytes, places: list[int]) -> list[bytes]:
    cuts = sorted({place % (len(stream) + 1) for place in places} | {0, len(stream)})
    return [stream[a:b] for a, b in pairwise(cuts)]


@settings(max_examples=1500, database=None)
@given(stream=streams, places=st.lists(st.integers(0, 10_000), max_size=12))
@example(stream=b"data: a\r\nevent: x\r\ndata: b\r\n\r\n", places=list(range(40)))
@example(stream=b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", places=list(range(30)))
def test_stream_split_anywhere_is_parsed_as_the_sse_standard_specifies(
    stream: bytes, places: list[int]
):
    assert list(sse.read_events(split(stream, places))) == by_the_standard(stream)


@settings(max_examples=500, database=None)
@given(
    words=st.text(st.sampled_from("\r\n\u2028\x85\0\ufeff:a data"), max_size=60)
    | st.text(max_size=60),
    name=st.sampled_from(["", "x"]),
    places=st.lists(st.integers(0, 10_000), max_size=8),
)
def test_frame_with_any_text_is_read_as_one_event(words: str, name: str, places: list[int]):
    frame = sse.frame(words, event=name, id=7).encode()

    assert list(sse.read_events(split(frame, places))) == [
        ServerSentEvent(name or "message", re.sub("\r\n|\r", "\n", words))
    ]


def data(stream: bytes) -> list[str]:
    """Return the data of each event of a stream that arrives in chunks of 64 KB."""
    chunks = (stream[start : start + 65_536] for start in range(0, len(stream), 65_536))
    return [event.data for event in sse.read_events(chunks)]


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


def test_stream_is_read_as_these_examples_show():
    assert {case: data(stream) for case, (stream, _) in CASES.items()} == {
        case: expected for case, (_, expected) in CASES.items()
    }


ENDLESS = {
    "a line without end": b"data: " + b"x" * (10 * sse.MAX_EVENT_BYTES),
    "a long comment": b": " + b"x" * (10 * sse.MAX_EVENT_BYTES) + b"\n\n",
    "many short lines": b"data: x\n" * (10 * sse.MAX_EVENT_LINES),
    "many long lines": (b"data: " + b"x" * 9000 + b"\n") * 1_200,
}


def test_event_size_is_bounded():
    for stream in ENDLESS.values():
        for chunks in ([stream], [stream[:70_000], stream[70_000:]]):
            with pytest.raises(sse.EventTooLarge):
                list(sse.read_events(chunks))


def test_event_before_one_that_is_too_large_is_read():
    stream = b"data: a\n\n" + b"data: x\n" * (2 * sse.MAX_EVENT_LINES) + b"\n"
    read = sse.read_events([stream])

    assert next(read).data == "a"
    with pytest.raises(sse.EventTooLarge):
        next(read)


def test_comments_before_an_event_do_not_count_as_its_lines():
    heartbeats = [b": wait\n" * 10] * sse.MAX_EVENT_LINES

    assert [event.data for event in sse.read_events([*heartbeats, b"data: a\n\n"])] == ["a"]


def test_size_limit_applies_to_each_event_separately():
    one = b"data: " + b"x" * 60_000 + b"\n\n"

    assert len(data(one * 40)) == 40
