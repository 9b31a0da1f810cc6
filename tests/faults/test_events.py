"""Events of any shape: what can be read is shown, what cannot is skipped and counted."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest

from tests.faults.conftest import COMPLETE, MARKUP, Hear, Seen, delta, event, promised, streams
from tests.support.person import Page, Person
from tests.support.upstream import Upstream

JUNK = {
    "no JSON": (b"{", "F6"),
    "empty": (b"", "F6"),
    "a list": (b"[]", "F7"),
    "a string": (b'"x"', "F7"),
    "null": (b"null", "F7"),
    "a number": (b"1", "F7"),
    "no type": (b"{}", "F8"),
    "an unknown type": (b'{"type":"new","content":"theirs"}', "F8"),
    "a number as type": (b'{"type":3}', "F8"),
    "an object as content": (b'{"type":"delta","content":{"text":"theirs"}}', "F9"),
    "a list as content": (b'{"type":"delta","content":["theirs"]}', "F9"),
    "far too deep": (b"[" * 100_000, "F34"),
}


JUNK_ROWS = [pytest.param(j, id=i, marks=pytest.mark.fault(row)) for i, (j, row) in JUNK.items()]


@pytest.mark.parametrize("junk", JUNK_ROWS)
def test_what_cannot_be_read_is_skipped_and_the_reply_goes_on(hear: Hear, junk: bytes):
    seen = hear(streams(delta("One"), b"data: %s\n\n" % junk, delta(" two"), COMPLETE))

    promised(seen, "complete", kept="One two")


@pytest.mark.fault("F6", "F7", "F8", "F9")
def test_what_cannot_be_read_is_no_end(hear: Hear):
    seen = hear(streams(delta("One"), *(b"data: %s\n\n" % junk for junk, _ in JUNK.values())))

    promised(seen, "interrupted", "The reply was cut off.", kept="One")


def warnings_of(caplog: pytest.LogCaptureFixture, seen: Seen) -> list[str]:
    turn_id = str(seen.turn["data-turn"])
    return [
        record.getMessage().replace(turn_id, "")
        for record in caplog.records
        if record.name == "chat.producer" and record.levelno == logging.WARNING
    ]


@pytest.mark.fault("F6", "F7", "F8", "F9", "F34")
def test_what_cannot_be_read_is_counted_once_for_each_reply(
    hear: Hear, caplog: pytest.LogCaptureFixture
):
    junk = [b"data: %s\n\n" % junk for junk, _ in JUNK.values()]

    seen = hear(streams(*junk, delta("Hi"), COMPLETE))

    [warning] = warnings_of(caplog, seen)
    assert re.search(rf"\b{len(junk)}\b", warning)


@pytest.mark.fault("F6", "F9", "F10")
def test_a_reply_that_can_be_read_is_not_complained_about(
    hear: Hear, caplog: pytest.LogCaptureFixture
):
    progress = event({"type": "progress", "progress": {"stage": "thinking"}})

    seen = hear(streams(progress, event({"type": "delta"}), delta("Hi"), COMPLETE))

    assert warnings_of(caplog, seen) == []


@pytest.mark.fault("F9")
@pytest.mark.parametrize(
    ("content", "text"),
    [(None, "One two"), ("", "One two"), (3, "One3 two"), (1.5, "One1.5 two")],
)
def test_the_content_of_a_delta_becomes_text(hear: Hear, content: Any, text: str):
    odd = event({"type": "delta", "content": content})

    promised(hear(streams(delta("One"), odd, delta(" two"), COMPLETE)), "complete", kept=text)


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


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param("Hi", "Hi", marks=pytest.mark.fault("F11", "F14")),
        pytest.param({"content": "Hi"}, "Hi", marks=pytest.mark.fault("F12")),
        pytest.param({"text": "Hi"}, "Hi", marks=pytest.mark.fault("F12")),
        pytest.param({"message": {"content": "Hi"}}, "Hi", marks=pytest.mark.fault("F12")),
        pytest.param(["H", {"text": "i"}], "Hi", marks=pytest.mark.fault("F12")),
        pytest.param({"id": 3, "role": "x"}, "Deltas", marks=pytest.mark.fault("F12")),
        pytest.param(None, "Deltas", marks=pytest.mark.fault("F13")),
        pytest.param("", "Deltas", marks=pytest.mark.fault("F13")),
        pytest.param({"content": ""}, "Deltas", marks=pytest.mark.fault("F13")),
        pytest.param({"content": None}, "Deltas", marks=pytest.mark.fault("F13")),
    ],
)
def test_the_end_brings_its_text_or_keeps_what_came(hear: Hear, message: Any, text: str):
    seen = hear(
        streams(delta("Del"), delta("tas"), event({"type": "complete", "message": message}))
    )

    promised(seen, "complete", kept=text)


@pytest.mark.fault("F14")
def test_an_end_with_another_text_wins_in_one_swap(hear: Hear):
    seen = hear(streams(delta("Deltas"), event({"type": "complete", "message": "The end"})))

    promised(seen, "complete", kept="The end")
    whole = [frame for frame in seen.frames if Page.read(frame.data).select("[hx-swap=outerHTML]")]
    assert len(whole) == 1
    assert seen.page.response.text.count("The end") == 1
    assert "Deltas" not in seen.page.text


@pytest.mark.fault("F15")
def test_an_end_without_a_delta_before_is_shown(hear: Hear):
    promised(
        hear(streams(event({"type": "complete", "message": "All at once"}))),
        "complete",
        kept="All at once",
    )
