"""The page of one twin."""

from __future__ import annotations

from tests.support.cases import failures
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream


def test_twin_page_lists_the_latest_conversations(alice: Person, bob: Person, upstream: Upstream):
    assert alice.get("/twins/ada").html.select(".twin-conversations") == []
    for number in range(6):
        alice.start_conversation(f"Hello {number}")
    alice.start_conversation("Elsewhere", twin="a%2Fb%20c%3F%23%C3%BC")
    page = alice.get("/twins/ada")

    found = [a.get_text() for a in page.html.select(".twin-conversations li a")]
    assert found == [f"Hello {number}" for number in (5, 4, 3, 2, 1)]
    link = page.html.select_one(".twin-conversations .links a")
    assert link.get_text() == "All 6 conversations with Ada"
    assert "Hello 0" in alice.get(link["href"]).text
    assert bob.get("/twins/ada").html.select(".twin-conversations") == []


def test_twin_id_may_contain_any_character(alice: Person, upstream: Upstream):
    ids = ["a/b c?#ü", "/x", "//x//y/", "x/conversations", "%2F", "…"]
    upstream.twins = [{"id": twin_id, "name": twin_id} for twin_id in ids]
    links = {link.get_text(): link["href"] for link in alice.get("/").html.select("li h3 a")}
    assert set(links) == set(ids)

    def check(twin_id: str) -> None:
        page = alice.get(links[twin_id])
        assert page.html.h1.get_text() == twin_id
        page = alice.press(page, "Send", content="hello")
        assert upstream.next_call().path.endswith("/messages/stream")
        created = [call.body for call in upstream.calls if call.path.endswith("conversations")]
        assert created[-1]["twinId"] == twin_id
        assert page.reply_states == ["waiting"]

    assert failures(check, {twin_id: twin_id for twin_id in ids}) == {}


def test_twin_with_an_id_that_no_url_can_contain_is_omitted(alice: Person, upstream: Upstream):
    ids = [".", "..", "../../keys", "a/./b", "ada"]
    upstream.twins = [{"id": twin_id, "name": twin_id} for twin_id in ids]

    assert [link.get_text() for link in alice.get("/").html.select("li h3 a")] == ["ada"]


def test_texts_of_a_twin_are_tagged_with_its_language(alice: Person, upstream: Upstream):
    texts = {"name": "X", "description": "Um", "greeting": "Oi", "starters": ["Como?"]}
    languages = {"x": ("pt-BR", "pt-BR"), "y": ('"><b>', ""), "z": (3, "")}
    upstream.twins = [
        texts | {"id": twin_id, "language": code} for twin_id, (code, _) in languages.items()
    ]
    cards = alice.get("/").html.select(".card p")
    assert [card.get("lang") for card in cards] == [lang for _, lang in languages.values()]

    def check(twin_id: str) -> None:
        page = complete_first_turn(alice, upstream, "Hello", "Hello", twin=twin_id)
        parts = [
            *alice.get(f"/twins/{twin_id}").html.select(".lead, .greeting, .starter"),
            page.html.select_one("#log > .turn__body .turn__reply p"),
        ]
        assert [part.get("lang") for part in parts if part] == [languages[twin_id][1]] * 4

    assert failures(check, {twin_id: twin_id for twin_id in languages}) == {}
