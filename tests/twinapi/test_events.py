"""Stream events: the specification omits the types of the fields, so any shape is accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from twindow.core.sse import ServerSentEvent
from twindow.twinapi import Complete, Delta, Failed, Progress
from twindow.twinapi.events import EventParser, Source, error_text
from twindow.twinapi.models import message_text
from twindow.twinapi.progress import ProgressParser


def parsed(data: Any, name: str = "message"):
    text = data if isinstance(data, str) else json.dumps(data)
    return EventParser().parse(ServerSentEvent(name, text))


UNKNOWN = ["", "{", "[]", '"x"', "null", "1", "[" * 100_000, "{}", '{"type": 3}', '{"type": "new"}']


def test_unknown_events_are_skipped():
    assert [data[:20] for data in UNKNOWN if parsed(data)] == []


DELTAS = [
    ("Hi", "Hi"),
    ("", ""),
    (None, ""),
    (3, "3"),
    (1.5, "1.5"),
    ({"text": "Hi"}, "Hi"),
    ([{"type": "text", "text": "H"}, "i"], "Hi"),
]


def test_delta_content_is_converted_to_text():
    events = [parsed({"type": "delta", "content": content}) for content, _ in DELTAS]

    assert events == [Delta(text) for _, text in DELTAS]
    assert parsed({"type": "delta"}) == Delta("")
    skipped = [parsed({"type": "delta", "content": each}) for each in ({}, [], True, {"x": "y"})]
    assert skipped == [None] * 4


# Controls, except tabs and line ends, and half of a character.
UNSTORABLE = [*map(chr, [*range(9), 11, 12, *range(14, 32), *range(127, 160)]), "\ud800", "\udc00"]


def test_characters_that_databases_and_pages_cannot_hold_are_replaced():
    for character in UNSTORABLE:
        text = f"a{character}b"
        events = [
            parsed({"type": "delta", "content": text}),
            parsed({"type": "complete", "message": text}),
            parsed({"type": "error", "error": text}),
            parsed({"type": "progress", "progress": text}),
        ]
        assert events == [Delta("a�b"), Complete("a�b"), Failed("a�b"), Progress("a�b")], events


def test_character_that_is_split_between_two_deltas_is_held_back_until_it_is_whole():
    parser = EventParser()
    halves = ("Hi \ud83d", "\ude00!", "\ud83dx")
    events = [
        parser.parse(ServerSentEvent("delta", json.dumps({"content": half}))) for half in halves
    ]

    assert events == [Delta("Hi "), Delta("😀!"), Delta("�x")]


COMPLETE = [
    ("Hi", "Hi"),
    ({"content": "Hi"}, "Hi"),
    ({"text": "Hi"}, "Hi"),
    ({"message": {"content": "Hi"}}, "Hi"),
    ({"content": [{"type": "text", "text": "H"}, {"text": "i"}]}, "Hi"),
    (["H", {"text": "i"}], "Hi"),
    (None, None),
    ({"id": 3}, None),
    (7, None),
]


def test_reply_is_cut_off_only_if_cut_off_is_true_in_its_event_or_message():
    for where in ({"cutOff": True}, {"message": {"cutOff": True}}):
        assert parsed({"type": "complete"} | where) == Complete(None, is_cut_off=True)
    for other in ({"cutOff": 1}, {"message": {"cutOff": "true"}}, {"message": {"cutOff": False}}):
        assert parsed({"type": "complete"} | other) == Complete(None)


def test_text_of_a_complete_event_is_read_in_several_formats_and_may_be_missing():
    events = [parsed({"type": "complete", "message": message}) for message, _ in COMPLETE]

    assert events == [Complete(text) for _, text in COMPLETE]


def test_sources_are_read_beside_the_message_and_within_it_with_the_address_of_a_web_page():
    source = {"file": "bread.md", "heading": "Yeast", "passage": "It makes gas."}
    for url, expected in [("https://x.example/a_b", "https://x.example/a_b"), ("mailto:a@b", "")]:
        sources = {"sources": [source | {"url": url}]}
        for complete in (sources, {"message": sources}):
            event = parsed({"type": "complete"} | complete)
            assert event == Complete(None, sources=(Source(*source.values(), expected),))


def test_deeply_nested_content_has_no_text():
    nested_list: object = ["Hi"]
    nested_object: object = {"message": "Hi"}
    for _ in range(450):
        nested_list, nested_object = [nested_list], {"message": nested_object}

    for nested in (nested_list, nested_object):
        assert message_text(nested) is None
        assert error_text(nested) == ""


PROGRESS = [
    (0.5, Progress("", 50.0)),
    (0, Progress("", 0.0)),
    (1, Progress("", 1.0)),
    (1.0, Progress("", 100.0)),
    ({"percentage": 30}, Progress("", 30.0)),
    ({"progress": 0.4, "step": "reading"}, Progress("reading", 40.0)),
    ({"value": 3, "total": 12}, Progress("", 25.0)),
    ({"current": 0, "total": 0, "percent": "7"}, Progress("", 7.0)),
    (45, Progress("", 45.0)),
    (450, Progress("", 100.0)),
    (-3, Progress("", 0.0)),
    ("45%", Progress("", 45.0)),
    ("reading", Progress("reading")),
    ("x" * 5000, Progress("x" * 100)),
    ({"stage": "thinking", "percent": None}, Progress("thinking")),
    ({"label": "reading", "percent": 30}, Progress("reading", 30.0)),
    ({"label": {"deep": 1}}, Progress("")),
    (None, Progress("")),
    ([1], Progress("")),
    (True, Progress("")),
]


def test_progress_is_read_as_a_label_and_a_percentage():
    events = [parsed({"type": "progress", "progress": progress}) for progress, _ in PROGRESS]

    assert events == [expected for _, expected in PROGRESS]


def test_one_is_all_after_a_fraction_and_one_percent_otherwise():
    def percentages(*values: float) -> list[float | None]:
        parser = ProgressParser("")
        return [parser.parse(value).percent for value in values]

    assert percentages(0, 0.25, 1) == [0, 25, 100]
    assert percentages(0, 1, 50) == [0, 1, 50]


def test_progress_may_stand_in_the_event_itself():
    event = {"type": "progress", "percent": 40, "stage": "reading"}

    assert parsed(event) == Progress("reading", 40.0)


def test_progress_percentage_is_between_0_and_100():
    for number in ("NaN", "Infinity", "1e999", "1" * 400):
        event = parsed(f'{{"type": "progress", "progress": {number}}}')
        assert isinstance(event, Progress), number
        assert event.percent is None or 0 <= event.percent <= 100, number


ERRORS = [
    ("tired", "tired"),
    ({"message": "tired"}, "tired"),
    ({"error": {"message": "tired"}}, "tired"),
    ([3, "tired"], "tired"),
    ("a\n b", "a b"),
    ({"title": "tired", "status": 503}, "tired"),
    ({"errors": {"content": ["is too long"]}}, "content: is too long"),
    ({"message": "tired", "errors": {"content": ["is too long"]}}, "tired"),
    ("**a** <b>b</b>", "**a** <b>b</b>"),
    ("key tw_" + "a" * 30, "key •••"),
    ("key sk-0123456789abcdef!", "key •••!"),
    ("Bearer s3cr3t-t0ken", "•••"),
]


def test_error_events_become_one_line_of_plain_text():
    found = [(error, parsed({"type": "error", "error": error})) for error, _ in ERRORS]

    assert found == [(error, Failed(sentence)) for error, sentence in ERRORS]


def test_error_events_without_a_message_have_no_detail():
    for error in (None, 3, {}, [], ""):
        assert parsed({"type": "error", "error": error}) == Failed(""), error


def test_long_error_is_truncated_and_its_api_keys_are_masked_before():
    assert parsed({"type": "error", "error": "x" * 10_000}) == Failed("x" * 500)
    for place in range(480, 502, 3):
        sentence = json.dumps({"type": "error", "error": "x" * place + "canary-5f2c9e"})
        failed = EventParser("canary-5f2c9e").parse(ServerSentEvent("message", sentence))
        assert isinstance(failed, Failed), place
        assert "canary" not in failed.detail, place


@pytest.mark.timeout(10)
def test_long_text_resembling_a_token_is_read_in_linear_time():
    failed = parsed({"type": "error", "error": {"message": "eyJaaaaaaaa-" * 500_000}})

    assert isinstance(failed, Failed)


def test_text_of_an_error_may_stand_beside_it():
    assert parsed({"type": "error", "message": "tired", "code": "late"}) == Failed("tired", "late")


def test_event_name_is_used_when_the_type_is_missing():
    assert parsed({"error": "tired"}, "error") == Failed("tired")
    assert parsed({"message": "Hi"}, "complete") == Complete("Hi")
