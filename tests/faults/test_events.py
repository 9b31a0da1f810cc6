"""Events of any shape: what can be read is shown, what cannot is skipped and counted."""

from __future__ import annotations

import json
import logging
import re

import pytest

from tests.faults.conftest import (
    COMPLETE,
    MARKUP,
    Hear,
    Seen,
    delta,
    event,
    promised,
    streams,
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
    "an object as content": b'{"type":"delta","content":{"text":"theirs"}}',
    "a list as content": b'{"type":"delta","content":["theirs"]}',
    "far too deep": b"[" * 100_000,
}


def warnings_of(caplog: pytest.LogCaptureFixture, seen: Seen) -> list[str]:
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
            delta(f"{number} ") + b"data: %s\n\n" % junk
            for number, junk in enumerate(JUNK.values())
        )
        + COMPLETE,
        " ".join(map(str, range(len(JUNK)))),
    ),
    "odd contents": (
        b"".join(
            event({"type": "delta", "content": content})
            for content in ("One", None, " ", "", 3, " ", 1.5, " two")
        )
        + COMPLETE,
        "One 3 1.5 two",
    ),
    **{
        f"end with {message!r}": (
            delta("Del") + delta("tas") + event({"type": "complete", "message": message}),
            text,
        )
        for message, text in [
            ("Hi", "Hi"),
            ({"content": "Hi"}, "Hi"),
            ({"text": "Hi"}, "Hi"),
            ({"message": {"content": "Hi"}}, "Hi"),
            (["H", {"text": "i"}], "Hi"),
            ({"id": 3, "role": "x"}, "Deltas"),
            (None, "Deltas"),
            ("", "Deltas"),
            ({"content": ""}, "Deltas"),
            ({"content": None}, "Deltas"),
        ]
    },
    "end without a delta": (event({"type": "complete", "message": "All at once"}), "All at once"),
}


@pytest.mark.fault("F6", "F7", "F8", "F9", "F11", "F12", "F13", "F14", "F15", "F34")
def test_reply_is_read_from_events_of_any_shape(hear: Hear):
    def check(case: tuple[bytes, str]) -> None:
        stream, text = case
        promised(hear(streams(stream)), "complete", kept=text)

    assert failures(check, READABLE) == {}


@pytest.mark.fault("F6", "F7", "F8", "F9", "F10", "F34")
def test_unreadable_events_are_logged_once_and_end_no_reply(
    hear: Hear, caplog: pytest.LogCaptureFixture
):
    junk = [b"data: %s\n\n" % junk for junk in JUNK.values()]
    progress = event({"type": "progress", "progress": {"stage": "thinking"}})

    cut_off = hear(streams(delta("One"), *junk))
    complete = hear(streams(*junk, delta("Hi"), COMPLETE))
    readable = hear(streams(progress, event({"type": "delta"}), delta("Hi"), COMPLETE))

    promised(cut_off, "interrupted", "The reply was cut off.", kept="One")
    [warning] = warnings_of(caplog, complete)
    assert re.search(rf"\b{len(junk)}\b", warning)
    assert warnings_of(caplog, readable) == []


BUSY = "Ada has your message…"


@pytest.mark.fault("F10")
def test_progress_is_one_bounded_line_whatever_its_shape(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        shown = ""
        for progress, line in {
            "0.45": "45 %",
            "1": "100 %",
            "45": "45 %",
            "4500": "100 %",
            "-3": "0 %",
            '"45%"': "45 %",
            '"reading"': "Reading…",
            '{"percent":30,"label":"thinking","stage":2}': "Thinking…",
            '{"percent":30}': "30 %",
            '{"stage":"writing","percent":null}': "Writing…",
            '{"label":{"deep":1}}': BUSY,
            "null": BUSY,
            "[1]": BUSY,
            "true": BUSY,
            "NaN": BUSY,
            "Infinity": BUSY,
            "1e999": BUSY,
            "1" * 400: BUSY,
            json.dumps(MARKUP): f"{MARKUP}…",
            json.dumps("x" * 5000): "X" + "x" * 99 + "…",
        }.items():
            call.send_bytes(b'data: {"type":"progress","progress":%s}\n\n' % progress.encode())
            if line != shown:  # what is said already is not said again
                frame = stream.next()
            assert frame.select_one("[hx-target$=-progress]").get_text().strip() == line
            shown = line
            assert alice.get(page.path).html.select_one(".turn__progress").text.strip() == line
            assert frame.select(".theirs") == []
        call.complete("Hi")
        stream.rest()
    assert alice.get(page.path).states == ["complete"]


@pytest.mark.fault("F14")
def test_an_end_with_another_text_wins_in_one_swap(hear: Hear):
    seen = hear(streams(delta("Deltas"), event({"type": "complete", "message": "The end"})))

    promised(seen, "complete", kept="The end")
    whole = [frame for frame in seen.frames if Page.read(frame.data).select("[hx-swap=outerHTML]")]
    assert len(whole) == 1
    assert seen.page.response.text.count("The end") == 1
    assert "Deltas" not in seen.page.text
