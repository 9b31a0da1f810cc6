"""Events of any shape: readable ones are shown, the others are skipped and counted."""

from __future__ import annotations

import json
import logging
import re

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    UPSTREAM_MARKUP,
    Outcome,
    SendMessage,
    assert_outcome,
    delta_bytes,
    event_bytes,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Page, Person
from tests.support.upstream import Upstream

JUNK = {
    "no JSON": b"{",
    "empty": b"",
    "a list": b"[]",
    "a string": b'"x"',
    "null": b"null",
    "a number": b"1",
    "no type": b"{}",
    "an unknown type": b'{"type":"new","content":"theirs"}',
    "a number as type": b'{"type":3}',
    "an object without text as content": b'{"type":"delta","content":{"theirs":1}}',
    "a list without text as content": b'{"type":"delta","content":[true]}',
    "far too deep": b"[" * 100_000,
}


def warnings_of(caplog: pytest.LogCaptureFixture, seen: Outcome) -> list[str]:
    turn_id = str(seen.turn["data-turn"])
    return [
        record.getMessage().replace(turn_id, "")
        for record in caplog.records
        if record.name == "chat.reply_worker"
        and record.levelno == logging.WARNING
        and turn_id in record.getMessage()
    ]


READABLE = {
    "junk after each delta": (
        b"".join(
            delta_bytes(f"{number} ") + b"data: %s\n\n" % junk
            for number, junk in enumerate(JUNK.values())
        )
        + COMPLETE_EVENT,
        " ".join(map(str, range(len(JUNK)))),
    ),
    "odd contents": (
        b"".join(
            event_bytes({"type": "delta", "content": content})
            for content in ("One", None, " ", "", 3, " ", 1.5, " two")
        )
        + COMPLETE_EVENT,
        "One 3 1.5 two",
    ),
    **{
        f"end with {message!r}": (
            delta_bytes("Del")
            + delta_bytes("tas")
            + event_bytes({"type": "complete", "message": message}),
            text,
        )
        for message, text in [
            ("Deltas, and more", "Deltas, and more"),
            ({"content": "Deltas!"}, "Deltas!"),
            ({"text": "Deltas!"}, "Deltas!"),
            ({"message": {"content": "Deltas!"}}, "Deltas!"),
            (["Deltas", {"text": "!"}], "Deltas!"),
            ("Message completed", "Deltas"),
            ({"id": 3, "role": "x"}, "Deltas"),
            (None, "Deltas"),
            ("", "Deltas"),
            ({"content": ""}, "Deltas"),
            ({"content": None}, "Deltas"),
        ]
    },
    "end without a delta": (
        event_bytes({"type": "complete", "message": "All at once"}),
        "All at once",
    ),
}


@pytest.mark.fault("F6")
def test_reply_is_read_from_events_of_any_shape(send_message: SendMessage):
    def check(case: tuple[bytes, str]) -> None:
        stream, text = case
        assert_outcome(send_message(respond_with_stream(stream)), "complete", reply=text)

    assert failures(check, READABLE) == {}


@pytest.mark.fault("F6")
def test_unreadable_events_are_logged_once_and_do_not_end_the_reply(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    junk = [b"data: %s\n\n" % junk for junk in JUNK.values()]
    progress = event_bytes({"type": "progress", "progress": {"stage": "thinking"}})

    cut_off = send_message(respond_with_stream(delta_bytes("One"), *junk))
    complete = send_message(respond_with_stream(*junk, delta_bytes("Hi"), COMPLETE_EVENT))
    readable = send_message(
        respond_with_stream(
            progress, event_bytes({"type": "delta"}), delta_bytes("Hi"), COMPLETE_EVENT
        )
    )

    assert_outcome(cut_off, "interrupted", "The reply was interrupted.", reply="One")
    [warning] = warnings_of(caplog, complete)
    assert re.search(rf"\b{len(junk)}\b", warning)
    assert warnings_of(caplog, readable) == []


BUSY = "Ada has your message…"


def test_progress_of_any_shape_is_shown_as_one_short_line(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        shown = ""
        for progress, line in {
            "0.45": "45%",
            "1": "100%",
            "45": "45%",
            "4500": "100%",
            "-3": "0%",
            '"45%"': "45%",
            '"reading"': "Reading…",
            '{"percent":30,"label":"thinking","stage":2}': "Thinking… 30%",
            '{"percent":30}': "30%",
            '{"stage":"writing","percent":null}': "Writing…",
            '{"label":{"deep":1}}': BUSY,
            "null": BUSY,
            "[1]": BUSY,
            "true": BUSY,
            "NaN": BUSY,
            "Infinity": BUSY,
            "1e999": BUSY,
            "1" * 400: BUSY,
            json.dumps(UPSTREAM_MARKUP): f"{UPSTREAM_MARKUP}…",
            json.dumps("x" * 5000): "X" + "x" * 99 + "…",
        }.items():
            call.send_bytes(b'data: {"type":"progress","progress":%s}\n\n' % progress.encode())
            if line != shown:  # an unchanged line is not sent again
                frame = stream.next_frame()
            assert frame.select_one("[hx-target$=-progress]").get_text().strip() == line
            shown = line
            assert alice.get(page.path).html.select_one(".turn__progress").text.strip() == line
            assert frame.select(".theirs") == []
        call.complete("Hi")
        stream.remaining_events()
    assert alice.get(page.path).reply_states == ["complete"]


def test_final_text_that_differs_from_the_deltas_replaces_them_once(send_message: SendMessage):
    seen = send_message(
        respond_with_stream(
            delta_bytes("The end is quite neer"),
            event_bytes({"type": "complete", "message": "The end is quite near"}),
        )
    )

    assert_outcome(seen, "complete", reply="The end is quite near")
    whole = [frame for frame in seen.frames if Page.parse(frame.data).select("[hx-swap=outerHTML]")]
    assert len(whole) == 1
    assert seen.page.response.text.count("The end is quite near") == 1
    assert "neer" not in seen.page.text
