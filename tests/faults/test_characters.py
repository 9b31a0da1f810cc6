"""Characters that no page or database can hold are replaced, and strange ones keep their place."""

from __future__ import annotations

import json
import re

import pytest

from tests.faults.conftest import (
    COMPLETE,
    Hear,
    delta,
    promised,
    said_in,
    streams,
)
from tests.support.cases import failures
from tests.support.person import Person

UNSTORABLE = {
    "bytes that are no UTF-8": (
        delta("a") + b'data: {"type":"delta","content":"\xffb\xc3"}\n\n' + COMPLETE,
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


@pytest.mark.fault("F27", "F28", "F29")
def test_characters_that_cannot_be_stored_are_replaced(hear: Hear):
    def check(case: tuple[bytes, str, str]) -> None:
        stream, state, kept = case
        seen = hear(streams(stream))
        promised(seen, state, kept=kept)
        assert "a�b" in seen.page.text

    assert failures(check, UNSTORABLE) == {}


@pytest.mark.fault("F28", "F29")
def test_what_was_replaced_does_not_hinder_what_follows(hear: Hear):
    page = hear(streams(delta(r"\ud83d\u0000"), COMPLETE)).page

    seen = hear(streams(delta("Fine"), COMPLETE), words="and now?", page=page)

    promised(
        seen, "complete", kept="Fine", words="and now?", sent=["my precious words", "and now?"]
    )


CONTROLS = "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), 127]))


@pytest.mark.fault("F29")
def test_control_characters_are_not_shown(hear: Hear):
    seen = hear(streams(delta(json.dumps(f"a{CONTROLS}b")[1:-1]), COMPLETE))

    assert seen.turn["data-state"] == "complete"
    for shown in (seen.page.response.text, *(frame.data for frame in seen.frames)):
        assert set(shown) & set(CONTROLS) == set()


STRANGE = {
    "bidi overrides": "\u202eevil\u202c \u2067x\u2069",
    "zero width": "a\u200b\u200d\ufeffb",
    "tag characters": "a" + "".join(chr(0xE0000 + ord(c)) for c in "hidden") + "b",
    "a flood of marks": "Z" + "\u0315\u0361\u0489" * 300,
}


@pytest.mark.fault("F30")
def test_strange_characters_are_isolated(alice: Person, hear: Hear):
    def check(words: str) -> None:
        seen = hear(streams(delta(words), COMPLETE), words=words)
        for turn in (seen.live, seen.turn):
            assert turn["data-state"] == "complete"
            assert turn.select_one(".turn__reply[dir=auto]").get_text().strip() == words
            assert turn.select_one(".turn__said [dir=auto]")
            assert said_in(turn) == words
        assert seen.sent == [words]

    assert failures(check, STRANGE) == {}
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    css = alice.get(style).response.text
    for part in (".turn__said", ".turn__reply"):
        assert re.search(rf"{re.escape(part)} ?{{[^{{}}]*unicode-bidi: ?isolate", css)


@pytest.mark.fault("F30")
def test_bidi_controls_in_code_are_visible(hear: Hear):
    seen = hear(streams(delta("`a\u202eb`"), COMPLETE))

    assert "202E" in str(seen.turn.select_one(".turn__reply code")).upper()
