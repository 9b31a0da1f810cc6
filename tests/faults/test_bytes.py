"""Bytes come to the same text in any split, framing and packing, and at most so often."""

from __future__ import annotations

import gzip
import re
import time
import zlib

import pytest

from core.sse import MAX_EVENT_BYTES
from tests.faults.conftest import (
    COMPLETE,
    Act,
    Hear,
    chunks,
    delta,
    promised,
    streams,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

HELLO = delta("Hello") + delta(" you") + COMPLETE


BOM = b"\xef\xbb\xbf"


def singly(stream: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in stream]


@pytest.mark.fault("F23", "F24")
def test_stream_of_the_portal_has_its_own_fields_and_line_ends(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.send_bytes(
            b": theirs\nid: theirs-1\nretry: 86400000\n"
            b'data: {"type":\ndata: "delta",\n: theirs\ndata: "content":"Hello"}\n\n'
        )
        call.send_bytes(delta(r" a\r\nb\rc"))
        call.send_bytes(b"id: theirs-2\nretry: 0\n" + COMPLETE)
        wire = stream.bytes()
        call.close()

    assert b"theirs" not in wire
    assert b"retry:" not in wire
    assert b"\r" not in wire
    assert all(id_.isdigit() for id_ in re.findall(rb"^id: ?(.*)$", wire, re.MULTILINE))
    page = alice.get(page.path)
    assert page.states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text().split() == ["Hello", "a", "b", "c"]


def packed(call: Call) -> None:
    call.start_stream(content_encoding="gzip").send_bytes(gzip.compress(HELLO))
    call.close()


CRLF, CR = HELLO.replace(b"\n", b"\r\n"), HELLO.replace(b"\n", b"\r")
MIXED = HELLO.replace(b"\n\n", b"\r\n\n", 1).replace(b"}\n\n", b"}\n\r\n", 1)
ENCODED = {
    "CRLF": streams(CRLF),
    "CR": streams(CR),
    "mixed line ends": streams(MIXED),
    "CRLF, byte by byte": chunks(*singly(CRLF)),
    "CR, byte by byte": chunks(*singly(CR)),
    "mixed line ends, byte by byte": chunks(*singly(MIXED)),
    "a byte order mark": streams(BOM, HELLO),
    "two byte order marks": streams(BOM * 2, HELLO),
    "gzip": packed,
}


@pytest.mark.fault("F24", "F25", "F36")
def test_stream_is_read_in_any_encoding(hear: Hear):
    def check(act: Act) -> None:
        promised(hear(act), "complete", kept="Hello you")

    assert failures(check, ENCODED) == {}


@pytest.mark.fault("F26")
def test_characters_may_be_split_anywhere(alice: Person, upstream: Upstream):
    words = "Grüße aus 東京 🙂👩‍👩‍👧"
    page = alice.begin("hello")
    call = upstream.next_call().start_stream(transfer_encoding="chunked")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        for byte in singly(delta(words)):
            call.send_chunk(byte)
        stream.until(words)
        call.send_chunk(COMPLETE)
        stream.rest()
    call.close()

    page = alice.get(page.path)
    assert page.states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text().strip() == words


@pytest.mark.fault("F31")
def test_a_flood_of_small_pieces_becomes_few_updates(hear: Hear):
    stream = delta("x") * 20_000 + COMPLETE
    spans = []

    def act(call: Call) -> None:
        spans.append(time.monotonic())
        streams(stream)(call)

    seen = hear(act)

    spans.append(time.monotonic())
    promised(seen, "complete", kept="x" * 20_000)
    assert "".join(seen.pieces).count("x") <= 20_000
    # Twenty a second, the first, and the end.
    assert len(seen.frames) <= 20 * (spans[1] - spans[0]) + 4


@pytest.mark.fault("F31")
def test_one_piece_may_be_as_large_as_an_event(alice: Person, upstream: Upstream):
    large = "x" * (MAX_EVENT_BYTES - len(delta("")))
    page = alice.begin("hello")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        streams(delta(large), COMPLETE)(upstream.next_call())
        wire = stream.bytes()
    page = alice.get(page.path)

    assert len(wire) < 3 * len(large)
    assert page.states == ["complete"]
    assert page.turns[0].select_one(".turn__reply").get_text().strip() == large


@pytest.mark.fault("F35")
def test_a_compressed_stream_is_read_as_it_comes(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    call = upstream.next_call()
    packer = zlib.compressobj(wbits=31)
    call.start_stream(content_encoding="gzip")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.send_bytes(packer.compress(delta("At")) + packer.flush(zlib.Z_SYNC_FLUSH))
        stream.until("At")
        call.send_bytes(packer.compress(delta(" once") + COMPLETE) + packer.flush())
        stream.rest()
    call.close()

    page = alice.get(page.path)
    assert call.headers["Accept-Encoding"] == "identity"
    assert page.states == ["complete"]
    assert "At once" in page.text
