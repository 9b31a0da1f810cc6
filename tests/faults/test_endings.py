"""The end of a reply: always one of four states, with the text so far and a next step."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    PARTIAL_DELTA,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    delta_bytes,
    message_text,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

INTERRUPTED = "The reply was interrupted. The text so far has been saved."
FRAMED = {"transfer_encoding": "chunked"}


def send_then_close(data: bytes, **headers: str) -> UpstreamAction:
    """Return an action that closes the connection after these bytes."""

    def act(call: Call) -> None:
        call.start_stream(**headers).send_bytes(data)
        call.close()

    return act


def reset(call: Call) -> None:
    call.start_stream().delta("Half a rep")
    call.reset()


BROKEN = {
    "just ends": send_then_close(PARTIAL_DELTA),
    "ends within a chunk": send_then_close(
        b"%x\r\n%sff\r\ndata:" % (len(PARTIAL_DELTA), PARTIAL_DELTA + b"\r\n"), **FRAMED
    ),
    "ends without the last chunk": send_then_close(
        b"%x\r\n%s\r\n" % (len(PARTIAL_DELTA), PARTIAL_DELTA), **FRAMED
    ),
    "is reset": reset,
    "has a bad chunk length": send_then_close(
        b"%x\r\n%s\r\nzz\r\n" % (len(PARTIAL_DELTA), PARTIAL_DELTA), **FRAMED
    ),
    "ends within an event": send_then_close(
        PARTIAL_DELTA + b'data: {"type":"delta","content":"torn"}\n'
    ),
    "ends within its end": send_then_close(
        PARTIAL_DELTA + b'data: {"type":"complete","message":"torn"}'
    ),
}


@pytest.mark.fault("F1")
def test_reply_without_an_end_event_is_interrupted_and_keeps_its_text(send_message: SendMessage):
    def check(act: UpstreamAction) -> None:
        seen = send_message(act)
        assert_outcome(seen, "interrupted", INTERRUPTED, reply="Half a rep")
        assert "torn" not in seen.page.text

    assert failures(check, BROKEN) == {}
    seen = send_message(send_then_close(b""))
    assert_outcome(seen, "interrupted", "The reply was interrupted.")
    assert "saved" not in seen.note


DONE = b'data: {"type":"complete","message":"Done"}\n\n'


AGAIN = b'data: {"type":"complete","message":"Again"}\n\n'


ERROR = b'data: {"type":"error","error":"Tired"}\n\n'


# Cases: the events, and the expected state and text of the reply.
ENDED_TWICE = {
    "complete twice": (DONE + AGAIN, "complete", "Done"),
    "error after complete": (DONE + ERROR, "complete", "Done"),
    "complete after error": (ERROR + DONE, "failed", ""),
    "delta after complete": (DONE + PARTIAL_DELTA, "complete", "Done"),
}


@pytest.mark.spec("S82")
def test_first_end_event_wins_and_closes_the_connection(send_message: SendMessage):
    def check(case: tuple[bytes, str, str]) -> None:
        stream, state, text = case
        disconnected = []

        def act(call: Call) -> None:
            call.start_stream().send_bytes(stream)
            disconnected.append(call.wait_for_disconnect())

        assert_outcome(send_message(act), state, reply=text)
        assert disconnected == [True]

    assert failures(check, ENDED_TWICE) == {}


def test_connection_left_open_after_the_end_event_is_closed(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.send_bytes(delta_bytes("Over") + COMPLETE_EVENT)
        assert stream.remaining_events()[-1].name == "done"

    assert alice.get(page.path).reply_states == ["complete"]
    assert call.wait_for_disconnect()


@pytest.fixture
def hurried(settings: dict[str, Any]) -> None:
    settings["api_timeout"] = 0.3


@pytest.fixture
def hurried_in_all(settings: dict[str, Any]) -> None:
    settings["api_reply_timeout"] = 0.3


@pytest.mark.fault("F40")
@pytest.mark.usefixtures("hurried")
def test_heartbeats_without_events_do_not_extend_the_idle_timeout(send_message: SendMessage):
    def check(beat: bytes) -> None:
        def act(call: Call) -> None:
            call.start_stream().delta("Half a rep")
            call.send_until_disconnect(beat)

        assert_outcome(send_message(act), "interrupted", "The reply timed out.", reply="Half a rep")

    assert failures(check, {"comments": b": still here\n\n", "junk": b"data: []\n\n"}) == {}


@pytest.mark.fault("F40")
@pytest.mark.usefixtures("hurried_in_all")
def test_reply_that_never_ends_times_out(send_message: SendMessage):
    def act(call: Call) -> None:
        call.start_stream().delta("Half a rep")
        call.send_until_disconnect(b'data: {"type":"progress","progress":1}\n\n')

    assert_outcome(send_message(act), "interrupted", "took too long", reply="Half a rep")


@pytest.mark.fault("R0")
def test_message_is_stored_before_it_is_sent_to_the_service(alice: Person, upstream: Upstream):
    upstream.unanswered_paths.add("/api/v1/conversations")
    page = alice.start_conversation("my precious words")
    upstream.next_call()

    assert message_text(alice.get(page.path).turns[0]) == "my precious words"
    assert upstream.sent_messages() == []


@pytest.mark.fault("R0")
def test_failed_reply_shows_a_reference_and_asks_before_a_retry(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    def check(stream: bytes) -> None:
        seen = send_message(respond_with_stream(stream))
        reference = re.search(r"Reference:? (\S{8})(?!\w)", seen.note)
        assert reference
        assert str(seen.turn["data-turn"]).startswith(reference[1])
        assert any(reference[1] in record.getMessage() for record in caplog.records)
        assert "may have received your message anyway. Send it again?" in seen.note

    assert failures(check, {"failed": ERROR, "interrupted": PARTIAL_DELTA}) == {}
