"""Search in the list of conversations: empty results, and links from hits to turns."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Page, Person


def test_empty_lists_explain_what_is_missing(
    alice: Person, new_person: Callable[[], Person], page: Page
):
    assert "No archived conversations" in alice.get("/conversations?view=archived").text
    assert "No conversations with marlow yet" in alice.get("/conversations?twin=marlow").text
    assert "No results for “ \"' ”" in alice.get("/conversations?q=%22'").text
    assert "Start one and you'll find it here." in new_person().get("/conversations").text


def test_search_hit_links_to_its_turn(alice: Person, page: Page):
    for headers in ({}, HTMX_HEADERS):
        shown = alice.get("/conversations?q=scatt", **headers)
        [hit] = shown.html.select(".hits a")
        url, _, anchor = hit["href"].partition("#")
        there = alice.get(url)

        assert [mark.get_text() for mark in hit.select("mark")] == ["scattering"]
        assert there.turns[0].find("mark", id=anchor).get_text() == "scattering"
        assert (shown.html.h1 is None) == bool(headers)


def test_hit_in_a_message_is_marked_in_the_message(alice: Person, page: Page):
    turn_id = page.turns[0]["data-turn"]
    there = alice.get(f"{page.path}?turn={turn_id}&message=1&q=blue")

    assert [mark.get_text() for mark in there.html.select("mark")] == ["blue"]
    assert there.turns[0].select_one(".turn__content mark")["id"] == "hit"


def test_title_hit_links_to_the_turn_with_the_same_text(alice: Person, page: Page):
    found = alice.get("/conversations?q=sky").html

    assert f"turn={page.turns[0]['data-turn']}" in found.select_one(".rows > li > a")["href"]
    assert found.select(".hits") == []


def test_url_without_a_valid_hit_shows_the_conversation_unmarked(alice: Person, page: Page):
    def check(query: str) -> None:
        there = alice.get(f"{page.path}?{query.format(page.turns[0]['data-turn'])}")
        assert there.reply_states == ["complete"]
        assert not there.html.select("mark, #hit")

    queries = "turn={}", "turn={}&q=", "turn=other&q=blue", "q=blue", "turn=&q=*"
    assert failures(check, {query: query for query in queries}) == {}


def test_search_in_the_archive_searches_all_conversations(alice: Person, page: Page):
    form = alice.get("/conversations?view=archived").html.select_one("search form")

    assert form["action"] == "/conversations"
    assert [field["name"] for field in form.select("input")] == ["q"]
    assert "hx-get" not in form.select_one("input").attrs


def test_page_that_htmx_restores_from_its_history_has_no_partials(alice: Person, page: Page):
    restored = HTMX_HEADERS | {"HX-History-Restore-Request": "true"}

    assert alice.get("/conversations", **restored).html.select("hx-partial") == []
    assert alice.get("/conversations", **HTMX_HEADERS).html.select("hx-partial") != []
