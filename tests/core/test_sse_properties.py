"""Property tests of SSE reading against a second implementation of WHATWG HTML 9.2.6."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from core import sse
from core.sse import ServerSentEvent

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
@example(stream=b"data: a\r\n\r\ndata: b\r\n\r\n", places=[8, 9, 10, 11])
@example(stream=b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", places=[1, 4])
def test_stream_split_anywhere_is_parsed_as_the_sse_standard_specifies(
    stream: bytes, places: list[int]
):
    assert list(sse.read_events(split(stream, places))) == by_the_standard(stream)


@settings(max_examples=150, database=None)
@given(stream=streams.filter(lambda stream: len(stream) < 80))
@example(stream=b"data: a\r\nevent: x\r\ndata: b\r\n\r\n")
@example(stream=b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n")
def test_stream_split_at_one_or_at_every_position_is_parsed_the_same(stream: bytes):
    expected = by_the_standard(stream)
    assert list(sse.read_events(stream[i : i + 1] for i in range(len(stream)))) == expected
    for place in range(len(stream) + 1):
        assert list(sse.read_events([stream[:place], stream[place:]])) == expected


@settings(max_examples=500, database=None)
@given(
    words=st.text(st.sampled_from("\r\n\u2028\x85\0\ufeff:a data"), max_size=60)
    | st.text(max_size=60),
    places=st.lists(st.integers(0, 10_000), max_size=8),
)
def test_frame_with_any_text_is_read_as_one_event(words: str, places: list[int]):
    frame = sse.frame(words, id=7).encode()

    assert list(sse.read_events(split(frame, places))) == [
        ServerSentEvent("message", re.sub("\r\n|\r", "\n", words))
    ]
