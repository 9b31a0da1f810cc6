"""The page of one twin."""

from __future__ import annotations

import pytest

from tests.support.person import Person, say_and_hear
from tests.support.upstream import Upstream


def test_the_page_of_a_twin_lists_its_last_conversations(
    alice: Person, bob: Person, upstream: Upstream
):
    assert alice.get("/twins/ada").html.select(".talks") == []
    for number in range(6):
        alice.begin(f"Hello {number}")
    alice.begin("Elsewhere", twin="a%2Fb%20c%3F%23%C3%BC")
    page = alice.get("/twins/ada")

    found = [a.get_text() for a in page.html.select(".talks li a")]
    assert found == [f"Hello {number}" for number in (5, 4, 3, 2, 1)]
    link = page.html.select_one(".talks .links a")
    assert link.get_text() == "All 6 conversations with Ada"
    assert "Hello 0" in alice.get(link["href"]).text
    assert bob.get("/twins/ada").html.select(".talks") == []


@pytest.mark.parametrize("twin_id", ["a/b c?#ü", "/x", "//x//y/", "x/conversations", "%2F", "…"])
def test_a_twin_whose_id_holds_any_character_has_its_page(
    alice: Person, upstream: Upstream, twin_id: str
):
    upstream.twins = [{"id": twin_id, "name": "Odd"}]
    link = alice.get("/").html.select_one("li h2 a")["href"]
    page = alice.get(link)

    assert page.html.h1.get_text() == "Odd"
    page = alice.press(page, "Send", content="hello")
    assert upstream.next_call().path.endswith("/messages/stream")
    assert [c.body["twinId"] for c in upstream.calls if c.path.endswith("conversations")] == [
        twin_id
    ]
    assert page.states == ["waiting"]


@pytest.mark.parametrize("twin_id", [".", "..", "../../keys", "a/./b"])
def test_a_twin_that_no_address_can_hold_is_left_out(
    alice: Person, upstream: Upstream, twin_id: str
):
    upstream.twins = [{"id": twin_id, "name": "Odd"}]

    assert alice.get("/").html.select("li h2 a") == []


def test_a_twin_that_is_not_there_is_404(alice: Person):
    page = alice.get("/twins/nobody")

    assert page.status == 404
    assert page.html.h1.get_text() == "Not found"


@pytest.mark.parametrize(("code", "lang"), [("pt-BR", "pt-BR"), ('"><b>', None), (3, None)])
def test_what_a_twin_says_of_itself_is_read_in_its_language(
    alice: Person, upstream: Upstream, code: object, lang: str | None
):
    upstream.twins = [
        {"id": "x", "name": "X", "description": "Um", "greeting": "Oi", "starters": ["Como?"]}
        | {"language": code}
    ]
    page = say_and_hear(alice, upstream, "Hello", "Hello", twin="x")

    parts = [
        alice.get("/").html.select_one(".card p"),
        *alice.get("/twins/x").html.select(".lead, .greeting, .starter"),
        page.html.select_one("#log > .turn__body .turn__reply"),
    ]
    assert [part.get("lang") for part in parts if part] == [lang] * 5
