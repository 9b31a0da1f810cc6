"""Unstorable characters are replaced, and unusual ones do not affect the text around them."""

from __future__ import annotations

import json
import re

from tests.faults.conftest import (
    COMPLETE_EVENT,
    SendMessage,
    assert_outcome,
    delta_bytes,
    message_text,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Person

UNSTORABLE = {
    "bytes that are no UTF-8": (
        delta_bytes("a") + b'data: {"type":"delta","content":"\xffb\xc3"}\n\n' + COMPLETE_EVENT,
        "complete",
        "a�b�",
    ),
    **{
        f"{name} in {kind}": (b"data: %s\n\n" % (event % escape).encode(), state, kept)
        for name, escape in {"a surrogate": r"\ud800", "NUL": r"\u0000"}.items()
        for kind, event, state, kept in [
            ("a delta", '{"type":"delta","content":"a%sb"}', "interrupted", "a�b"),
            ("the end", '{"type":"complete","message":"a%sb"}', "complete", "a�b"),
            ("an error", '{"type":"error","error":"a%sb"}', "failed", ""),
        ]
    },
}


def test_unstorable_characters_are_replaced(send_message: SendMessage):
    def check(case: tuple[bytes, str, str]) -> None:
        stream, state, kept = case
        seen = send_message(respond_with_stream(stream))
        assert_outcome(seen, state, reply=kept)
        assert "a�b" in seen.page.text

    assert failures(check, UNSTORABLE) == {}


def test_conversation_continues_after_unstorable_characters(send_message: SendMessage):
    page = send_message(respond_with_stream(delta_bytes(r"\ud83d\u0000"), COMPLETE_EVENT)).page

    seen = send_message(
        respond_with_stream(delta_bytes("Fine"), COMPLETE_EVENT), words="and now?", page=page
    )

    assert_outcome(
        seen,
        "complete",
        reply="Fine",
        content="and now?",
        sent_messages=["my precious words", "and now?"],
    )


CONTROLS = "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), 127]))


def test_control_characters_never_reach_the_page_or_the_stream(send_message: SendMessage):
    seen = send_message(
        respond_with_stream(delta_bytes(json.dumps(f"a{CONTROLS}b")[1:-1]), COMPLETE_EVENT)
    )

    assert seen.turn["data-state"] == "complete"
    for shown in (seen.page.response.text, *(frame.data for frame in seen.frames)):
        assert set(shown) & set(CONTROLS) == set()


STRANGE = {
    "bidi overrides": "\u202eevil\u202c \u2067x\u2069",
    "zero width": "a\u200b\u200d\ufeffb",
    "tag characters": "a" + "".join(chr(0xE0000 + ord(c)) for c in "hidden") + "b",
    "a flood of marks": "Z" + "\u0315\u0361\u0489" * 300,
}


def test_unusual_characters_are_kept_and_isolated(alice: Person, send_message: SendMessage):
    def check(words: str) -> None:
        seen = send_message(respond_with_stream(delta_bytes(words), COMPLETE_EVENT), words=words)
        for turn in (seen.live_turn, seen.turn):
            assert turn["data-state"] == "complete"
            assert turn.select_one(".turn__reply[dir=auto]").get_text().strip() == words
            assert turn.select_one(".turn__content [dir=auto]")
            assert message_text(turn) == words
        assert seen.sent_messages == [words]

    assert failures(check, STRANGE) == {}
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    css = alice.get(style).response.text
    for part in (".turn__content", ".turn__reply"):
        assert re.search(rf"{re.escape(part)} ?{{[^{{}}]*unicode-bidi: ?isolate", css)


def test_bidi_controls_in_code_are_visible(send_message: SendMessage):
    seen = send_message(respond_with_stream(delta_bytes("`a\u202eb`"), COMPLETE_EVENT))

    assert "202E" in str(seen.turn.select_one(".turn__reply code")).upper()
