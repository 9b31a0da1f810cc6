"""Parser of twin files: it returns a twin, or raises an error that describes the problem."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.conftest import TWIN
from twindow.service.twins.parser import load, parse
from twindow.service.twins.twin import InvalidTwinFile


def test_valid_file_is_parsed_as_a_twin():
    twin = parse("ada", TWIN, 1.0)

    assert (twin.id, twin.front_matter.name, twin.instructions) == ("ada", "Ada", "You are Ada.")
    assert twin.front_matter.examples[0].reply == "Two."
    assert twin.front_matter.temperature == 0.2


BROKEN = [
    ("description: x", "line 1: name is missing."),
    ("name: Ada\nstarters: one", "line 3: starters should be a list."),
    (
        "name: Ada\nlanguage: English, mostly",
        "line 3: language should be the code of a language, for example de or pt-BR.",
    ),
    (
        "name: Ada\n\ntemprature: 1",
        "line 4: temprature is not known (did you mean temperature?).",
    ),
    ("name: Ada\ntemperature: 9", "line 3: temperature should be a number from 0 to 2."),
    ("name: Ada\ntemperature: .nan", "line 3: temperature should be a number from 0 to 2."),
    ("name: Ada\ntop_p: 0", "line 3: top_p should be a number above 0 and up to 1."),
    ("name: Ada\nseed: x", "line 3: seed should be a whole number from 0 to 4,294,967,295."),
    ("name: Ada\nstop: [a, b, c, d, e]", "line 3: stop should be a list of 1 to 4 entries."),
    ("name: Ada\nstop:\n- a\n- ''", "line 5: stop[1] should be text that is not empty."),
    ("name: Ada\nmodel:", "line 3: model should be text that is not empty."),
    (
        "name: Ada\nexamples:\n  - message: a\n    reply: b\n  - message: c",
        "line 6: examples[1].reply is missing.",
    ),
    (
        "name: Ada\nexamples:\n  - message: a\n    reply: b\n    relpy: c",
        "line 6: examples[0].relpy is not known (did you mean reply?).",
    ),
    ("name: Ada\nname: Eve", "line 3: name is already in line 2."),
    ("- a", "line 2: expected a field as name: value."),
    ("name: Ada\n[a]: b", "line 3: expected a field as name: value."),
    ("name: Ada\ngreeting: [Hi\nmodel: x", "line 3: the closing ] is missing."),
    ("name: Ada\ngreeting: 'Hi\nmodel: x", "line 3: the quotation mark is not closed."),
    ("name: Ada\ngreeting: Hi: you", "line 3: text that contains a colon must be quoted."),
    ("name: Ada\ngreeting: @you", "line 3: text that begins with @ must be quoted."),
    ("name: Ada\ngreeting: *you", "line 3: text that begins with * must be quoted."),
    ("name: Ada\ngreeting: &you", "line 3: text that begins with & must be quoted."),
    ("name: Ada\ngreeting: !you hi", "line 3: text that begins with ! must be quoted."),
    ("name: Ada\nstarters:\n\t- One", "line 4: indent with spaces, not with tabs."),
    ("name: Ada\ngreeting: Hi\x07", "line 3: control characters are not allowed."),
    ('name: "\\UFFFFFFFF"', "line 1: invalid Unicode character."),
    ('name: "\\U00110000"', "line 1: invalid Unicode character."),
    ('name: Ada\ngreeting: "\\0"', "line 3: control characters are not allowed."),
    ('name: Ada\ngreeting: "\\ud800"', "line 3: control characters are not allowed."),
    ("name: " + "[" * 5_000, "line 1: the front matter is nested too deeply."),
]


def problem_of(text: str) -> str:
    try:
        return f"none: {parse('ada', text, 1.0)}"
    except InvalidTwinFile as error:
        return str(error)


def test_error_in_a_twin_file_names_the_line():
    problems = [
        (front_matter, problem_of(f"---\n{front_matter}\n---\nYou are Ada."))
        for front_matter, _ in BROKEN
    ]

    assert [row for row in problems if row not in BROKEN] == []


def test_file_without_front_matter_is_rejected():
    texts = ["You are Ada.", "", "---\nname: Ada\n", "\n---\nname: Ada\n---"]

    problem = "line 1: missing front matter between two lines of ---."
    assert [problem_of(text) for text in texts] == [problem] * 4


def test_twin_name_is_always_parsed_as_text():
    names = ["1984", "No", "null", "2001-01-01", "1:30", "0x10", "~"]

    assert [
        parse("ada", f"---\nname: {name}\n---\n", 1.0).front_matter.name for name in names
    ] == names


def test_front_matter_ends_only_at_a_line_of_three_dashes():
    twin = parse("ada", "---\nname: Ada\ngreeting: |\n  Hi\n  ----\n---  \n----\n---\nend", 1.0)

    assert twin.front_matter.greeting == "Hi\n----\n"
    assert twin.instructions == "----\n---\nend"


@given(st.text() | st.text(alphabet="-\n \t:[]{}'\"&*!|>#%@`,?ab1\\x"))
def test_any_text_is_parsed_or_rejected_with_a_line_number(text: str):
    for front_matter in (text, f"name: {text}", f"name: Ada\nexamples: {text}"):
        assert outcome(front_matter)


def outcome(front_matter: str) -> bool:
    try:
        return bool(parse("ada", f"---\n{front_matter}\n---\n", 1.0).front_matter.name.encode())
    except InvalidTwinFile as error:
        return str(error).startswith("line ")


def test_byte_order_mark_and_all_line_endings_are_accepted(tmp_path: Path):
    saved = {
        "as it is": TWIN.encode(),
        "BOM": b"\xef\xbb\xbf" + TWIN.encode(),
        "CRLF": TWIN.replace("\n", "\r\n").encode(),
        "CR": TWIN.replace("\n", "\r").encode(),
    }
    wrong = []
    for how, data in saved.items():
        (tmp_path / "ada.md").write_bytes(data)
        if load(tmp_path / "ada.md", 1.0) != parse("ada", TWIN, 1.0):
            wrong.append(how)
    assert wrong == []


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"---\nname: Ada\ngreeting: caf\xe9\n---\n", "line 3: not valid UTF-8; save the file"),
        (TWIN.encode("utf-16"), "line 1: not valid UTF-8; save the file as UTF-8."),
        (TWIN.encode() + b"x" * 256 * 1024, "it is larger than 256 KiB."),
    ],
    ids=["Latin 1", "UTF-16", "huge"],
)
def test_file_that_is_too_large_or_not_utf_8_is_rejected(tmp_path: Path, data: bytes, problem: str):
    (tmp_path / "ada.md").write_bytes(data)

    with pytest.raises(InvalidTwinFile) as error:
        load(tmp_path / "ada.md", 1.0)
    assert problem in str(error.value)


def test_path_that_is_not_a_regular_file_is_rejected_without_blocking(tmp_path: Path):
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")

    messages = []
    for name in ("folder.md", "pipe.md", "loop.md"):
        with pytest.raises(InvalidTwinFile) as error:
            load(tmp_path / name, 1.0)
        messages.append(str(error.value))

    assert messages == [
        "it is a folder, not a file.",
        "it is a pipe or a device, not a file.",
        "it is a broken link.",
    ]
