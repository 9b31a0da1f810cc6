"""The gallery, and the page of one twin."""

from __future__ import annotations

import pytest

from tests.person import HTMX, Person, ended
from tests.upstream import Upstream


def test_the_gallery_lists_twins_by_name(alice: Person, upstream: Upstream):
    page = alice.get("/")

    assert page.html.h1.get_text() == "Twins"
    assert [a.get_text() for a in page.html.select("li h2 a")] == ["Ada", "Odd"]
    assert page.html.select_one("input[type=search]")["aria-label"] == "Search twins"
    assert len(upstream.calls) == 1


def test_the_gallery_costs_no_call_while_its_list_is_fresh(alice: Person, upstream: Upstream):
    for _ in range(5):
        alice.get("/")
        alice.get("/twins/ada")

    assert len(upstream.calls) == 1


@pytest.mark.parametrize(
    ("q", "found"), [("ADA", ["Ada"]), ("how things", ["Ada"]), ("nobody", [])]
)
def test_the_gallery_finds_words_in_names_and_descriptions(alice: Person, q: str, found):
    page = alice.get(f"/?q={q}")

    assert [a.get_text() for a in page.html.select("li h2 a")] == found


def test_htmx_gets_the_list_alone(alice: Person):
    page = alice.get("/?q=ada", **HTMX)

    assert page.html.html is None
    assert page.html.select_one("#twins li")
    assert "HX-Request" in page.response.headers["Vary"]


def test_an_empty_gallery_says_so(alice: Person, upstream: Upstream):
    upstream.twins = []

    assert "There are no twins yet" in alice.get("/").text


def test_a_gallery_without_its_service_says_so(alice: Person, upstream: Upstream):
    upstream.stop()
    page = alice.get("/")

    assert page.status == 200
    assert "The service cannot be reached." in page.text


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


@pytest.mark.parametrize("twin_id", [".", ".."])
def test_a_twin_that_no_address_can_hold_is_left_out(
    alice: Person, upstream: Upstream, twin_id: str
):
    upstream.twins = [{"id": twin_id, "name": "Odd"}]

    assert alice.get("/").html.select("li h2 a") == []


def test_a_twin_that_is_not_there_is_404(alice: Person):
    page = alice.get("/twins/nobody")

    assert page.status == 404
    assert page.html.h1.get_text() == "Not found"


def test_names_and_words_are_only_text(alice: Person, upstream: Upstream):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    upstream.twins = [
        {"id": "x", "name": evil, "description": evil, "greeting": evil, "starters": [evil]}
    ]
    gallery, twin = alice.get("/"), alice.get("/twins/x")
    page = say_and_hear_from(alice, upstream, evil)

    for each in (gallery, twin, page, alice.get("/conversations")):
        assert each.html.select("script:not([src])") == []
        assert each.html.select("img:not(.face)") == []
        assert "alert(1)" in each.text


def say_and_hear_from(alice: Person, upstream: Upstream, words: str):
    page = alice.begin(words, twin="x")
    upstream.next_call().begin().complete(words)
    return ended(alice, page)
