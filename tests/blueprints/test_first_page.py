"""The first page: the form that starts a conversation with a chosen twin."""

from __future__ import annotations

from urllib.parse import quote

from tests.support.person import HTMX_HEADERS, Page, Person
from tests.support.upstream import Upstream

ODD = "a/b c?#ü"


def choices(page: Page) -> list[str]:
    return [str(option["value"]) for option in page.html.select("select[name=twin] option")]


def chosen(page: Page) -> str:
    [option] = page.html.select("select[name=twin] option[selected]")
    return str(option["value"])


def starter_twin(page: Page) -> str:
    return str(page.html.select_one("#starters input[name=twin]")["value"])


def test_message_goes_to_the_chosen_twin(alice: Person, upstream: Upstream):
    page = alice.press(alice.get("/"), "Send", content="Hello", twin=ODD)

    assert page.html.h1.get_text() == "Hello"
    assert upstream.next_call().path.endswith("/messages/stream")
    [created] = [call.body for call in upstream.calls if call.path.endswith("conversations")]
    assert created["twinId"] == ODD


def test_twin_used_last_is_chosen_first(alice: Person, upstream: Upstream):
    assert choices(alice.get("/")) == ["ada", ODD]
    alice.start_conversation("Hello", twin=quote(ODD, safe=""))

    assert choices(alice.get("/")) == [ODD, "ada"]
    assert chosen(alice.get("/")) == ODD
    assert chosen(alice.get("/?twin=ada")) == "ada"
    assert chosen(alice.get("/?twin=nobody")) == ODD


def test_form_offers_at_most_twenty_twins_and_the_one_in_the_url(alice: Person, upstream: Upstream):
    upstream.twins = [{"id": str(number), "name": f"Twin {number:03}"} for number in range(30)]

    assert choices(alice.get("/")) == [str(number) for number in range(20)]
    assert choices(alice.get("/?twin=25")) == ["25", *(str(number) for number in range(19))]


def test_choice_exchanges_the_starters(alice: Person, upstream: Upstream):
    upstream.twins = [
        {"id": twin_id, "name": twin_id, "starters": [f"Ask {twin_id}"]}
        for twin_id in ("ada", "ben")
    ]
    page = alice.get("/")
    assert starter_twin(page) == "ada"
    # Sent with the message of the box, a starter makes the same visitor.
    assert len({field["value"] for field in page.html.select("[name=idempotency_key]")}) == 1
    fragment = alice.get("/?twin=ben", **HTMX_HEADERS)

    assert fragment.html.html is None
    assert starter_twin(fragment) == "ben"
    assert [button.get_text() for button in fragment.html.select(".starter")] == ["Ask ben"]


def test_rejected_message_keeps_the_choice(alice: Person):
    action, fields = alice.get("/").button_action("Send")
    rejected = alice.post(action, fields | {"content": " ", "twin": ODD}, **HTMX_HEADERS)

    assert rejected.status == 422
    assert chosen(rejected) == ODD


def test_first_page_without_twins_says_so_and_has_no_form(alice: Person, upstream: Upstream):
    upstream.twins = []
    page = alice.get("/")

    assert "No twins yet" in page.text
    assert page.html.select("textarea, select") == []


def test_message_to_a_missing_twin_is_shown_for_copying(alice: Person, upstream: Upstream):
    action, fields = alice.get("/").button_action("Send")
    page = alice.post(action, fields | {"content": "Words", "twin": "nobody"})

    assert page.status == 404
    assert page.html.textarea.get_text() == "Words"
