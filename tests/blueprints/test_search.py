"""What the lists say when there is nothing, and where they lead when something was found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream


@pytest.fixture
def page(alice: Person, upstream: Upstream) -> Page:
    return complete_first_turn(
        alice, upstream, "Why is the sky blue?", "Because of **scattering**."
    )


def test_the_lists_say_what_is_missing(alice: Person, new_person: Callable[[], Person], page: Page):
    assert "Nothing is archived" in alice.get("/conversations?view=archived").text
    assert "Nothing with marlow yet" in alice.get("/conversations?twin=marlow").text
    assert "Nothing here contains “ \"' ”" in alice.get("/conversations?q=%22'").text
    assert "Pick a twin and say something" in new_person().get("/conversations").text


def test_what_is_found_links_to_its_turn(alice: Person, page: Page):
    for number in range(3):
        shown = alice.get("/conversations?q=scatt", **(HTMX_HEADERS if number else {}))
        [hit] = shown.html.select(".hits a")
        there = alice.get(hit["href"].partition("#")[0])
        assert hit["href"].count(there.turns[0]["data-turn"]) == 1

        assert [mark.get_text() for mark in hit.select("mark")] == ["scattering"]
        assert (
            there.turns[0].find("mark", id=hit["href"].partition("#")[2]).get_text() == "scattering"
        )
        assert (shown.html.h1 is None) == bool(number)


def test_a_hit_is_marked_where_the_person_said_it(alice: Person, page: Page):
    turn_id = page.turns[0]["data-turn"]
    there = alice.get(f"{page.path}?hit={turn_id}&said=1&q=blue")

    assert [mark.get_text() for mark in there.html.select("mark")] == ["blue"]
    assert there.turns[0].select_one(".turn__said mark")["id"] == "hit"


def test_address_that_names_no_hit_is_the_conversation(alice: Person, page: Page):
    def check(query: str) -> None:
        there = alice.get(f"{page.path}?{query.format(page.turns[0]['data-turn'])}")
        assert there.status == 200
        assert not there.html.select("mark, #hit")

    queries = "hit={}", "hit={}&q=", "hit=other&q=blue", "q=blue", "hit=&q=*"
    assert failures(check, {query: query for query in queries}) == {}


def test_what_is_looked_for_in_the_archive_is_looked_for_everywhere(alice: Person, page: Page):
    form = alice.get("/conversations?view=archived").html.select_one("search form")

    assert form["action"] == "/conversations"
    assert [field["name"] for field in form.select("input")] == ["q"]
    assert "hx-get" not in form.select_one("input").attrs


def test_who_goes_back_gets_a_page_and_no_part_beside_it(alice: Person, page: Page):
    restored = {"HX-Request": "true", "HX-History-Restore-Request": "true"}

    assert alice.get("/conversations", **restored).html.select("hx-partial") == []
    assert alice.get("/conversations", **HTMX_HEADERS).html.select("hx-partial") != []


def test_a_title_that_is_all_that_was_said_leads_to_where_it_was(alice: Person, page: Page):
    found = alice.get("/conversations?q=sky").html

    assert f"hit={page.turns[0]['data-turn']}" in found.select_one(".rows > li > a")["href"]
    assert found.select(".hits") == []
