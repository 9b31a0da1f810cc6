"""Lists of twins that are long, faulty or older than the conversations."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.faults.conftest import UPSTREAM_MARKUP
from tests.support.html import text_in
from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import TWINS, Call, Upstream
from twindow.chat.catalogue.catalogue import MAX_PAGES, MAX_TWINS
from twindow.web.container import Portal

LIST = "/api/v1/twins"


def names(page: Page) -> list[str]:
    return [name.get_text() for name in page.html.select("#twins li h3 a")]


@pytest.mark.fault("F58")
def test_unreadable_twin_list_is_reported_on_the_home_page(alice: Person, upstream: Upstream):
    upstream.answers[LIST] = 200, b'<b class="theirs">theirs</b>'

    page = alice.get("/")

    assert (page.status, names(page)) == (200, [])
    assert "The list of twins can't be read." in text_in(page.html, "#twins .note")
    assert "Reload the page" in page.text
    assert "theirs" not in page.response.text
    assert "No twins yet" not in page.text
    assert len(upstream.calls) == 1


@pytest.mark.fault("F58")
@pytest.mark.usefixtures("uncached_twins")
def test_last_good_twin_list_is_shown_with_its_age(alice: Person, upstream: Upstream):
    alice.get("/")
    upstream.answers[LIST] = 200, b'{"data": [{"id": "ada"}'

    page = alice.get("/")

    assert names(page) == ["Ada", "Odd"]
    assert re.search(r"Last updated .*\b(second|minute)s? ago\.", page.text)
    assert alice.get("/twins/ada").html.h1.get_text() == "Ada"
    assert len(upstream.calls) == 2


@pytest.mark.fault("F60")
def test_twins_without_an_id_are_omitted_and_counted_in_the_log(
    alice: Person, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    odd = [{"name": "no id"}, {"id": ""}, {"id": None}, {"id": True}, None, 3, "ada", []]
    upstream.twins = [
        *odd,
        {"id": 7, "name": "Seven", "colour": {"unknown": 1}},
        {"id": "html", "name": UPSTREAM_MARKUP, "description": UPSTREAM_MARKUP},
        {"id": "null", "name": None},
        {"id": "long", "name": "x" * 500},
    ]

    page = alice.get("/")

    assert names(page) == [UPSTREAM_MARKUP, "null", "Seven", "x" * 100]
    assert page.html.select(".theirs") == []
    assert f"{len(odd)} twins of the service could not be read" in caplog.messages
    assert alice.get("/twins/7").html.h1.get_text() == "Seven"


def page_number(call: Call) -> int:
    return int(parse_qs(urlsplit(call.path).query)["page"][0])


def endless(call: Call) -> None:
    call.respond(200, {"data": [{"id": f"{page_number(call)}-{n}"} for n in range(100)]})


def promises_more(call: Call) -> None:
    twins = [{"id": "ada"}] if page_number(call) == 1 else []
    call.respond(200, {"data": twins, "pagination": {"page": page_number(call), "pages": 10**6}})


@pytest.mark.limit("L39")
def test_number_of_requests_for_a_list_is_bounded(portal: Portal, upstream: Upstream):
    for answer, count in ((endless, MAX_TWINS // 100), (promises_more, MAX_PAGES)):
        upstream.calls.clear()
        upstream.answers[LIST] = answer

        portal.reply_worker.twins.fetch()

        assert [page_number(call) for call in upstream.calls] == list(range(1, count + 1))


@pytest.mark.fault("F86")
@pytest.mark.usefixtures("uncached_twins")
def test_conversation_survives_a_renamed_twin_and_is_readable_after_removal(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hello to you")
    upstream.twins = [{**TWINS[0], "name": "Ada Lovelace"}]
    assert "Ada Lovelace" in alice.get("/").text
    page = alice.press(alice.get(page.path), "Send", content="Still you?")
    upstream.reply("Still me")
    wait_for_reply(alice, page)

    upstream.twins = TWINS[1:]
    assert "Ada" not in alice.get("/").text
    page = alice.get(page.path)
    assert [text_in(turn, ".turn__reply") for turn in page.turns] == ["Hello to you", "Still me"]
    note = text_in(page.html, "#composer .note")
    assert "Ada is no longer available. This conversation is still saved." in note
    assert page.html.select_one("#message").has_attr("disabled")
    assert page.html.select_one(".composer__send").has_attr("disabled")
    in_arabic = alice.get(page.path, **{"Accept-Language": "ar"})
    assert "\u2068Ada\u2069" in text_in(in_arabic.html, "#composer .note")
