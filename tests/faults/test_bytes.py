"""Splitting, framing and compression do not change a reply, and pages get few updates."""

from __future__ import annotations

import gzip
import re
import time
import zlib

import pytest

from core.sse import MAX_EVENT_BYTES
from tests.faults.conftest import (
    COMPLETE_EVENT,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    delta_bytes,
    respond_with_chunks,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

HELLO = delta_bytes("Hello") + delta_bytes(" you") + COMPLETE_EVENT


BOM = b"\xef\xbb\xbf"


def singly(stream: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in stream]


def test_portal_stream_passes_on_no_sse_fields_or_line_endings_of_the_service(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.send_bytes(
            b": theirs\nid: theirs-1\nretry: 86400000\n"
            b'data: {"type":\ndata: "delta",\n: theirs\ndata: "content":"Hello"}\n\n'
        )
        call.send_bytes(delta_bytes(r" a\r\nb\rc"))
        call.send_bytes(b"id: theirs-2\nretry: 0\n" + COMPLETE_EVENT)
        wire = stream.remaining_bytes()
        call.close()

    assert b"theirs" not in wire
    assert b"retry:" not in wire
    assert b"\r" not in wire
    assert all(re.fullmatch(rb"\d+(-\w+)?", id_) for id_ in re.findall(rb"^id: ?(.*)$", wire, re.M))
    page = alice.get(page.path)
    assert page.reply_states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text(" ").split() == [
        "Hello",
        "a",
        "b",
        "c",
    ]


def packed(call: Call) -> None:
    call.start_stream(content_encoding="gzip").send_bytes(gzip.compress(HELLO))
    call.close()


CRLF, CR = HELLO.replace(b"\n", b"\r\n"), HELLO.replace(b"\n", b"\r")
MIXED = HELLO.replace(b"\n\n", b"\r\n\n", 1).replace(b"}\n\n", b"}\n\r\n", 1)
ENCODED = {
    "CRLF": respond_with_stream(CRLF),
    "CR": respond_with_stream(CR),
    "mixed line ends": respond_with_stream(MIXED),
    "CRLF, byte by byte": respond_with_chunks(*singly(CRLF)),
    "CR, byte by byte": respond_with_chunks(*singly(CR)),
    "mixed line ends, byte by byte": respond_with_chunks(*singly(MIXED)),
    "a byte order mark": respond_with_stream(BOM, HELLO),
    "gzip": packed,
}


def test_stream_is_read_with_any_line_ending_bom_or_compression(send_message: SendMessage):
    def check(act: UpstreamAction) -> None:
        assert_outcome(send_message(act), "complete", reply="Hello you")

    assert failures(check, ENCODED) == {}


def test_characters_may_be_split_at_any_byte(alice: Person, upstream: Upstream):
    words = "Grüße aus 東京 🙂👩‍👩‍👧"
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream(transfer_encoding="chunked")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        for byte in singly(delta_bytes(words)):
            call.send_chunk(byte)
        stream.read_until(words)
        call.send_chunk(COMPLETE_EVENT)
        stream.remaining_events()
    call.close()

    page = alice.get(page.path)
    assert page.reply_states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text().strip() == words


@pytest.mark.usefixtures("processes")
def test_many_small_deltas_become_few_updates(send_message: SendMessage):
    stream = delta_bytes("x") * 20_000 + COMPLETE_EVENT
    spans = []

    def act(call: Call) -> None:
        spans.append(time.monotonic())
        respond_with_stream(stream)(call)

    seen = send_message(act)

    spans.append(time.monotonic())
    assert_outcome(seen, "complete", reply="x" * 20_000)
    assert "".join(seen.streamed_texts).count("x") <= 20_000
    # At most twenty updates a second, plus a few frames at the start and at the end.
    assert len(seen.frames) <= 20 * (spans[1] - spans[0]) + 4


def test_delta_may_be_as_large_as_the_event_limit(alice: Person, upstream: Upstream):
    large = "x" * (MAX_EVENT_BYTES - len(delta_bytes("")))
    page = alice.start_conversation("hello")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        respond_with_stream(delta_bytes(large), COMPLETE_EVENT)(upstream.next_call())
        wire = stream.remaining_bytes()
    page = alice.get(page.path)

    assert len(wire) < 3 * len(large)
    assert page.reply_states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text().strip() == large


def test_compressed_stream_is_decoded_incrementally(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    call = upstream.next_call()
    packer = zlib.compressobj(wbits=31)
    call.start_stream(content_encoding="gzip")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.send_bytes(packer.compress(delta_bytes("At")) + packer.flush(zlib.Z_SYNC_FLUSH))
        stream.read_until("At")
        call.send_bytes(packer.compress(delta_bytes(" once") + COMPLETE_EVENT) + packer.flush())
        stream.remaining_events()
    call.close()

    page = alice.get(page.path)
    assert call.headers["Accept-Encoding"] == "identity"
    assert page.reply_states == ["complete"]
    assert "At once" in page.text
