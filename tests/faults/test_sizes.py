"""Size limits of a reply: in total, for each line, and after decompression."""

from __future__ import annotations

import gzip
from contextlib import suppress

import pytest

from tests.faults.conftest import PARTIAL_DELTA, SendMessage, assert_outcome
from tests.support.upstream import Call

TOO_LONG = "The reply was too long"


def floods(call: Call) -> None:
    call.start_stream()
    with suppress(OSError):
        for _ in range(40):
            call.delta("x" * 10_000)
    call.close()


@pytest.mark.fault("F32")
@pytest.mark.usefixtures("processes")
def test_endless_reply_is_truncated_at_the_limit(
    send_message: SendMessage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twinapi.stream.MAX_REPLY_BYTES", 200_000)

    seen = send_message(floods)

    kept = seen.turn.select_one(".turn__reply").get_text().strip()
    assert 100_000 < len(kept) <= 200_000
    assert set(kept) == {"x"}
    assert_outcome(seen, "interrupted", TOO_LONG, f"{len(kept):,}", reply=kept)


def test_endless_line_is_cut_off_before_it_is_read_completely(send_message: SendMessage):
    taken = 0

    def act(call: Call) -> None:
        nonlocal taken
        call.start_stream().send_bytes(PARTIAL_DELTA + b"data: ")
        with suppress(OSError):
            while taken < 50 * 1024 * 1024:
                call.send_bytes(b"x" * 65536)
                taken += 65536
        call.close()

    assert_outcome(send_message(act), "interrupted", TOO_LONG, reply="Half a rep")
    assert taken < 20 * 1024 * 1024


def test_gzip_bomb_is_stopped_at_the_limit(send_message: SendMessage):
    megabyte = gzip.compress((b": " + b"x" * 1021 + b"\n") * 1024)
    bomb = gzip.compress(PARTIAL_DELTA) + megabyte * 200
    assert len(bomb) < 500_000

    def act(call: Call) -> None:
        call.start_stream(content_encoding="gzip")
        with suppress(OSError):
            call.send_bytes(bomb)
        call.close()

    assert_outcome(send_message(act), "interrupted", TOO_LONG, reply="Half a rep")
