"""The document does not show the types of the fields: every shape is read, and none is an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sse import ServerSentEvent
from twinapi import Complete, Delta, Failed, Progress
from twinapi.events import NO_DETAILS, parse


def parsed(data: Any, name: str = "message"):
    return parse(ServerSentEvent(name, data if isinstance(data, str) else json.dumps(data)))


@pytest.mark.parametrize(
    "data",
    ["", "{", "[]", '"x"', "null", "1", "[" * 100_000, "{}", '{"type": 3}', '{"type": "new"}'],
)
def test_what_says_nothing_we_know_is_skipped(data: str):
    assert parsed(data) is None


@pytest.mark.parametrize(
    ("content", "text"),
    [("Hi", "Hi"), ("", ""), (None, ""), (3, "3"), (1.5, "1.5"), ("\ud800", "�"), ("\0", "�")],
)
def test_a_delta_is_text(content: Any, text: str):
    assert parsed({"type": "delta", "content": content}) == Delta(text)


@pytest.mark.parametrize("content", [{}, [], True, {"text": "x"}])
def test_a_delta_of_another_kind_is_skipped(content: Any):
    assert parsed({"type": "delta", "content": content}) is None


def test_a_delta_without_content_is_empty():
    assert parsed({"type": "delta"}) == Delta("")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Hi", "Hi"),
        ({"content": "Hi"}, "Hi"),
        ({"text": "Hi"}, "Hi"),
        ({"message": {"content": "Hi"}}, "Hi"),
        ({"content": [{"type": "text", "text": "H"}, {"text": "i"}]}, "Hi"),
        (None, None),
        ({"id": 3}, None),
        (7, None),
    ],
)
def test_complete_finds_its_text_or_has_none(message: Any, text: str | None):
    assert parsed({"type": "complete", "message": message}) == Complete(text)


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (0.5, Progress("", 50.0)),
        (45, Progress("", 45.0)),
        (450, Progress("", 100.0)),
        ("45%", Progress("", 45.0)),
        ("reading", Progress("reading")),
        ({"stage": "thinking", "percent": None}, Progress("thinking")),
        ({"label": "reading", "percent": 30}, Progress("reading", 30.0)),
        ({"label": {"deep": 1}}, Progress("")),
        (None, Progress("")),
        ([1], Progress("")),
        (True, Progress("")),
    ],
)
def test_progress_is_a_bounded_line(progress: Any, expected: Progress):
    assert parsed({"type": "progress", "progress": progress}) == expected


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1" * 400])
def test_progress_survives_any_number(number: str):
    event = parsed(f'{{"type": "progress", "progress": {number}}}')

    assert isinstance(event, Progress)
    assert event.percent is None or 0 <= event.percent <= 100


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("tired", "tired"),
        ({"message": "tired", "code": 3}, "tired"),
        ({"error": {"message": "tired"}}, "tired"),
        (["tired"], "tired"),
        ("a\n b", "a b"),
        ("key tw_" + "a" * 30, "key •••"),
    ],
)
def test_an_error_is_one_plain_sentence(error: Any, said: str):
    assert parsed({"type": "error", "error": error}) == Failed(
        f"The service reported an error: {said}."
    )


@pytest.mark.parametrize("error", [None, 3, {}, [], ""])
def test_an_error_without_words_says_so(error: Any):
    assert parsed({"type": "error", "error": error}) == Failed(NO_DETAILS)


def test_a_long_error_is_cut():
    failed = parsed({"type": "error", "error": "x" * 10_000})

    assert isinstance(failed, Failed)
    assert len(failed.sentence) < 600


@pytest.mark.parametrize("place", range(480, 502, 3))
def test_a_key_is_left_out_also_where_the_error_is_cut(place: int):
    said = json.dumps({"type": "error", "error": "x" * place + "canary-5f2c9e"})
    failed = parse(ServerSentEvent("message", said), ("canary-5f2c9e",))

    assert isinstance(failed, Failed)
    assert "canary" not in failed.sentence


def test_what_nearly_is_a_token_costs_no_more_than_other_words():
    failed = parsed({"type": "error", "error": {"message": "eyJaaaaaaaa-" * 500_000}})

    assert isinstance(failed, Failed)


def test_the_name_of_the_event_serves_where_the_type_is_missing():
    assert parsed({"error": "tired"}, "error") == Failed("The service reported an error: tired.")
    assert parsed({"message": "Hi"}, "complete") == Complete("Hi")
