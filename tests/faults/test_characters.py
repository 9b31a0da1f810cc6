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
from tests.support.person import Person


@pytest.mark.fault("F27")
def test_bytes_that_are_no_text_are_replaced(hear: Hear):
    odd = b'data: {"type":"delta","content":"a\xffb\xc3"}\n\n'

    promised(hear(streams(odd, delta(" and on"), COMPLETE)), "complete", kept="a�b� and on")


REPLACED = {"a surrogate": (r"\ud800", "F28"), "NUL": (r"\u0000", "F29")}


@pytest.mark.parametrize(
    "escape",
    [pytest.param(e, id=id_, marks=pytest.mark.fault(row)) for id_, (e, row) in REPLACED.items()],
)
@pytest.mark.parametrize(
    ("event", "state"),
    [
        ('{"type":"delta","content":"a%sb"}', "interrupted"),
        ('{"type":"complete","message":"a%sb"}', "complete"),
        ('{"type":"error","error":"a%sb"}', "failed"),
    ],
    ids=["delta", "complete", "error"],
)
def test_what_no_database_can_hold_is_replaced(hear: Hear, escape: str, event: str, state: str):
    seen = hear(streams(b"data: %s\n\n" % (event % escape).encode()))

    promised(seen, state, kept="" if state == "failed" else "a�b")
    assert "a�b" in seen.page.text


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
@pytest.mark.parametrize("words", STRANGE.values(), ids=STRANGE)
def test_strange_characters_stay_in_their_own_place(alice: Person, hear: Hear, words: str):
    seen = hear(streams(delta(words), COMPLETE), words=words)

    for turn in (seen.live, seen.turn):
        assert turn["data-state"] == "complete"
        assert turn.select_one(".turn__reply[dir=auto]").get_text().strip() == words
        assert turn.select_one(".turn__said [dir=auto]")
        assert said_in(turn) == words
    assert seen.sent == [words]
    css = alice.get(seen.page.html.select_one("link[rel=stylesheet]")["href"]).response.text
    for part in (".turn__said", ".turn__reply"):
        assert re.search(rf"{re.escape(part)} ?{{[^{{}}]*unicode-bidi: ?isolate", css)


@pytest.mark.fault("F30")
def test_bidi_controls_in_code_are_visible(hear: Hear):
    seen = hear(streams(delta("`a\u202eb`"), COMPLETE))

    assert "202E" in str(seen.turn.select_one(".turn__reply code")).upper()
