"""The list of conversations, and the pages of single conversations."""

from __future__ import annotations

from sqlalchemy import update

from tests.support.conversation_list import listed_titles
from tests.support.history import get_only_person, insert_conversation
from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.chat.conversations import PAGE_SIZE
from twindow.chat.schema import conversations
from twindow.web.container import Portal


def test_conversations_are_listed_and_filtered(alice: Person, bob: Person, upstream: Upstream):
    assert "No conversations yet" in alice.get("/conversations").text
    complete_first_turn(alice, upstream, "About engines", "Yes")
    complete_first_turn(alice, upstream, "About nothing", "Right", twin="a%2Fb%20c%3F%23%C3%BC")

    assert listed_titles(alice.get("/conversations")) == ["About nothing", "About engines"]
    assert listed_titles(alice.get("/conversations?twin=ada")) == ["About engines"]
    assert listed_titles(alice.get("/conversations?q=NOTHING")) == ["About nothing"]
    assert listed_titles(bob.get("/conversations")) == []


def test_links_between_pages_of_a_list_keep_its_view_and_its_twin(
    alice: Person, portal: Portal, page: Page
):
    for _ in range(3 * PAGE_SIZE - 1):
        insert_conversation(portal.database, get_only_person(portal.database), 1)
    with portal.database.write() as connection:
        connection.execute(update(conversations).values(archived=True))
    query = "twin=ada&view=archived"
    first, third = (f"/conversations?{query}&page={number}" for number in (1, 3))

    second = alice.get(f"/conversations?{query}&page=2")

    links = second.html.select(".pagination a")
    assert [(a.get_text(), a["href"]) for a in links] == [("Newer", first), ("Older", third)]
    assert len(listed_titles(alice.get(third))) == PAGE_SIZE


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


def test_rows_show_the_beginning_of_the_newest_reply_or_message_as_plain_text(
    alice: Person, upstream: Upstream
):
    def shown() -> str:
        return " ".join(
            alice.get("/conversations").html.select_one(".rows p span").get_text().split()
        )

    page = alice.start_conversation("Why is `x` <b>?")
    assert shown() == "You: Why is x <b>?"
    reply = "**Because** of\n\n- [it](https://example.org), and " + "so on " * 100
    upstream.next_call().start_stream().complete(reply)
    wait_for_reply(alice, page)
    assert shown().startswith("Because of - it, and so on")
    assert len(shown()) <= 200
