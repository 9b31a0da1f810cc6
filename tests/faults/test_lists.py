"""Lists of any shape and length: readable entries are shown, and the last good list is kept."""

from __future__ import annotations

import re
from typing import Any

import pytest

import twinapi
from tests.faults.conftest import MESSAGE, UPSTREAM_MARKUP, assert_outcome, observe_reply
from tests.support.cases import failures
from tests.support.person import Page, Person
from tests.support.upstream import Call, Upstream
from web.container import Portal

TWINS = "/api/v1/twins"
CONVERSATIONS = "/api/v1/conversations"


def names(page: Page) -> list[str]:
    return [name.get_text() for name in page.html.select("#twins li h3 a")]


def breaks_off(call: Call) -> None:
    call.send_head(200, content_type="application/json", content_length="1000")
    call.send_bytes(b'{"data": [{"id": "ada"}')
    call.close()


UNREADABLE = {
    "no data": (200, {}),
    "null": (200, {"data": None}),
    "a number": (200, {"data": 3}),
    "a string": (200, "theirs"),
    "an object without a list": (200, {"data": {"id": "ada"}}),
    "no JSON": (200, b'<b class="theirs">theirs</b>'),
    "half of it": (200, b'{"data": [{"id": "ada"}'),
    "broken off": breaks_off,
}


@pytest.mark.fault("F58")
def test_unreadable_twin_list_raises_an_api_error(portal: Portal, upstream: Upstream):
    def check(answer: Any) -> None:
        upstream.answers[TWINS] = answer
        with pytest.raises(twinapi.TwinApiError):
            portal.client.list_twins()

    assert failures(check, UNREADABLE) == {}


@pytest.mark.fault("F58")
def test_unreadable_twin_list_is_reported_on_the_home_page(alice: Person, upstream: Upstream):
    upstream.answers[TWINS] = UNREADABLE["no JSON"]

    page = alice.get("/")

    assert (page.status, names(page)) == (200, [])
    assert page.html.select_one("#twins .note").get_text().strip()
    assert "Reload the page" in page.text
    assert "can't be read" in page.text
    assert "theirs" not in page.response.text
    assert "No twins yet" not in page.text
    assert len(upstream.calls) == 1


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.twins.catalogue.TwinCatalogue.max_age_seconds", 0.001)


@pytest.mark.fault("F58")
@pytest.mark.usefixtures("forgetful")
def test_last_good_twin_list_is_shown_with_its_age(alice: Person, upstream: Upstream):
    alice.get("/")
    upstream.answers[TWINS] = UNREADABLE["broken off"]

    page = alice.get("/")

    assert names(page) == ["Ada", "Odd"]
    assert re.search(r"Last updated .*\b(second|minute)s? ago\.", page.text)
    assert alice.get("/twins/ada").html.h1.get_text() == "Ada"
    assert len(upstream.calls) == 2


@pytest.mark.fault("F58")
def test_message_is_not_sent_when_the_new_conversation_is_unreadable(
    alice: Person, upstream: Upstream
):
    def check(body: Any) -> None:
        upstream.answers[CONVERSATIONS] = 201, body
        seen = observe_reply(alice, upstream, alice.start_conversation(MESSAGE))
        assert_outcome(
            seen, "failed", "unexpected response", "Your message wasn't sent.", sent_messages=[]
        )

    bodies = {"data": None}, {"data": {}}, {"data": []}, "c1", b"{", b""
    assert failures(check, {repr(body): body for body in bodies}) == {}


ADA = {"id": "ada", "name": "Ada"}


def test_twin_list_is_read_from_every_supported_json_shape(portal: Portal, upstream: Upstream):
    def check(body: Any) -> None:
        upstream.answers[TWINS] = 200, body
        assert [twin.name for twin in portal.client.list_twins().items] == ["Ada"]

    bodies = (
        {"data": [ADA]},
        {"data": {"items": [ADA], "meta": {}}},
        {"data": {"data": [ADA]}},
        [ADA],
    )
    assert failures(check, {repr(body): body for body in bodies}) == {}


ODD = [{"name": "no id"}, {"id": ""}, {"id": None}, {"id": True}, None, 3, "ada", []]


@pytest.mark.fault("F60")
def test_twins_without_an_id_are_omitted_and_counted_in_the_log(
    alice: Person, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    upstream.twins = [
        *ODD,
        {"id": 7, "name": "Seven", "colour": {"unknown": 1}},
        ADA,
        ADA | {"colour": 3},
        {"id": "null", "name": None},
        {"id": "html", "name": UPSTREAM_MARKUP, "description": UPSTREAM_MARKUP},
        {"id": "long", "name": "x" * 500},
    ]

    page = alice.get("/")

    assert names(page) == [UPSTREAM_MARKUP, "Ada", "null", "Seven", "x" * 100]
    assert page.html.select(".theirs") == []
    [warning] = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert re.search(rf"\b{len(ODD)}\b", warning)
    assert alice.get("/twins/7").html.h1.get_text() == "Seven"
    assert alice.get("/twins/html").html.select(".theirs") == []


@pytest.mark.fault("F60")
def test_long_twin_list_is_truncated_and_shows_the_total(alice: Person, upstream: Upstream):
    upstream.twins = [{"id": str(number)} for number in range(1234)]

    page = alice.get("/")

    assert len(names(page)) == 60
    assert re.search(r"\b1,?234\b", page.html.select_one("main").get_text())
    assert names(alice.get("/?q=1233")) == ["1233"]
