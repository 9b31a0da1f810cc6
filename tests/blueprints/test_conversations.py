"""The list of conversations, and the pages of single conversations."""

from __future__ import annotations

from tests.blueprints.conversation_list import listed_titles
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream


def test_conversations_are_listed_and_filtered(alice: Person, bob: Person, upstream: Upstream):
    assert "No conversations yet" in alice.get("/conversations").text
    complete_first_turn(alice, upstream, "About engines", "Yes")
    complete_first_turn(alice, upstream, "About nothing", "Right", twin="a%2Fb%20c%3F%23%C3%BC")

    assert listed_titles(alice.get("/conversations")) == ["About nothing", "About engines"]
    assert listed_titles(alice.get("/conversations?twin=ada")) == ["About engines"]
    assert listed_titles(alice.get("/conversations?q=NOTHING")) == ["About nothing"]
    assert listed_titles(bob.get("/conversations")) == []


def test_viewing_conversations_needs_no_service_request(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    before = len(upstream.calls)
    for path in (page.path, "/conversations", page.path):
        alice.get(path)

    assert len(upstream.calls) == before


def test_out_of_range_numbers_in_the_query_are_harmless(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")

    for query in ("before=" + "9" * 30, "before=-1", "before=x", "follow=x"):
        assert alice.get(f"{page.path}?{query}").status == 200
    for number in ("99", "9" * 30, "x"):
        assert listed_titles(alice.get(f"/conversations?page={number}")) == ["Hello"]
