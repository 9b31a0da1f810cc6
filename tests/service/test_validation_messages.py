"""Validation messages: plain sentences that are derived from the definition of a value."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from tests.service.client import ApiClient
from twindow.service.validation_messages import explain


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    said: str
    reply: Annotated[str, Meta(min_length=1)]


class Outer(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=32_000, pattern=r"^[^\x00]*$")]
    title: Annotated[str, Meta(max_length=200)] | None = None
    heat: Annotated[float, Meta(ge=0, le=2)] | None = None
    share: Annotated[float, Meta(gt=0, le=1)] = 1
    page: Annotated[int, Meta(ge=1)] = 1
    most: Annotated[int, Meta(le=9)] = 9
    some: Annotated[int, Meta(gt=0)] = 9
    ready: bool = True
    at: datetime | None = None
    scope: Literal["read_only", "full_access"] = "read_only"
    inner: list[Inner] = []
    words: Annotated[list[str], Meta(max_length=2)] = []
    pairs: Annotated[list[str], Meta(min_length=2)] = []
    ages: Annotated[
        list[Annotated[str, Meta(description="a year", pattern="^[0-9]+$")]], Meta()
    ] = []
    two_words: Annotated[str, Meta(min_length=2)] | None = None


WRONG: list[tuple[Any, str, str]] = [
    ({}, "name", "is missing"),
    ({"name": ""}, "name", "should be text of 1 to 32,000 characters"),
    ({"name": 3}, "name", "should be text of 1 to 32,000 characters"),
    ({"name": "a\0b"}, "name", "must not contain NUL"),
    ({"title": "x" * 201}, "title", "should be text of at most 200 characters"),
    ({"heat": 3}, "heat", "should be a number from 0 to 2"),
    ({"heat": "warm"}, "heat", "should be a number from 0 to 2"),
    ({"share": 0}, "share", "should be a number above 0 and up to 1"),
    ({"page": 0}, "page", "should be a whole number from 1 on"),
    ({"most": 10}, "most", "should be a whole number up to 9"),
    ({"some": 0}, "some", "should be a whole number above 0"),
    ({"scope": "all"}, "scope", "should be full_access or read_only"),
    ({"scope": "x00"}, "scope", "should be full_access or read_only"),
    ({"ready": "yes"}, "ready", "should be true or false"),
    ({"at": "noon"}, "at", "should be a datetime"),
    ({"scope": 1}, "scope", "should be full_access or read_only"),
    ({"words": "one"}, "words", "should be a list of at most 2 entries"),
    ({"words": ["one", 2]}, "words[1]", "should be text"),
    ({"pairs": ["one"]}, "pairs", "should be a list of at least 2 entries"),
    ({"ages": ["old"]}, "ages[0]", "should be a year"),
    ({"inner": [{"said": "a"}]}, "inner[0].reply", "is missing"),
    ({"inner": ["a"]}, "inner[0]", "should be an object with said and reply"),
    (
        {"inner": [{"said": "a", "reply": ""}]},
        "inner[0].reply",
        "should be text that is not empty",
    ),
    ({"inner": [{"siad": "a"}]}, "inner[0].siad", "is not known (did you mean said?)"),
    ({"two_words": "x"}, "two_words", "is not known (did you mean twoWords?)"),
    ({"twoWords": "x"}, "twoWords", "should be text of at least 2 characters"),
    ({"colour": "red"}, "colour", "is not known"),
    ([], "", "should be an object with name"),
]


def test_validation_message_names_the_field_and_the_expected_value():
    told = []
    for value, _, _ in WRONG:
        given = {"name": "Ada"} | value if isinstance(value, dict) and value else value
        with pytest.raises(msgspec.ValidationError) as error:
            msgspec.convert(given, Outer)
        told.append((value, *explain(error.value, Outer)))

    assert [row for row in told if row not in WRONG] == []


def test_invalid_request_gets_the_validation_message(api: ApiClient):
    long = api.post("/conversations", json={"twinId": "ada", "title": "x" * 201})
    array = api.post("/conversations", json=[])
    path = f"/conversations/{api.create_conversation()}/messages"
    blank = api.post(path, json={"content": " \n"})
    page = api.get("/twins?limit=many")

    reason = "has 201 characters; it should be text of at most 200 characters"
    assert long.json() == {
        "error": f"title {reason}.",
        "code": "invalid",
        "details": [{"field": "title", "reason": reason}],
    }
    assert array.json()["error"] == "The body should be an object with twinId."
    assert blank.json()["error"] == "content is blank."
    assert page.json()["error"] == "limit should be a whole number from 1 to 100."
