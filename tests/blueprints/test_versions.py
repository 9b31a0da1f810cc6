"""Versions of turns: their pages, links, forms, search and exports."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.history import get_only_person, insert_conversation
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.web.container import Portal


def answer(person: Person, upstream: Upstream, page: Page, reply: str) -> Page:
    """Let the twin reply to the newest message of a page; return the page of the conversation."""
    upstream.next_call().start_stream().complete(reply)
    return wait_for_reply(person, person.get(page.path))


def turn_id(page: Page, number: int = -1) -> str:
    return str(page.turns[number]["data-turn"])


def version_of(page: Page, number: int = -1) -> str:
    """Return the number of a version and how many there are, such as "2 of 3"."""
    found = page.turns[number].select_one("nav[aria-label^=Versions] > span:not([aria-hidden])")
    return found.get_text() if found else ""


@pytest.fixture
def page(alice: Person, upstream: Upstream) -> Page:
    """Return the page of a conversation whose only reply was tried again."""
    page = complete_first_turn(alice, upstream, "Tell me of rivers", "The Danube is long")
    return answer(alice, upstream, alice.press(page, "Try again"), "The Rhine is wide")


def test_link_shows_a_version_and_a_message_from_there_follows_it(
    alice: Person, upstream: Upstream, page: Page
):
    assert version_of(page) == "2 of 2"
    [arrow] = page.turns[0].select("nav a")
    older = alice.get(f"{page.path}{arrow['href']}")
    assert (version_of(older), "Danube" in older.text) == ("1 of 2", True)
    assert "The last one is version 2." in older.turns[0].get_text()
    blank = alice.press(older, "Send", content=" ")
    assert blank.status == 422
    page = answer(alice, upstream, alice.press(blank, "Send", content="More"), "Much more")

    assert "Danube" in page.turns[0].get_text()
    assert len(page.turns) == 2


def test_link_to_a_turn_of_another_conversation_or_person_shows_the_newest_version(
    alice: Person, new_person: Callable[[], Person], upstream: Upstream, page: Page
):
    elsewhere = complete_first_turn(alice, upstream, "Secret", "Never told")
    stranger = complete_first_turn(new_person(), upstream, "Hidden", "Never told")

    for other in (turn_id(elsewhere), turn_id(stranger), "none", ""):
        shown = alice.get(f"{page.path}?turn={other}")
        assert (shown.status, version_of(shown)) == (200, "2 of 2"), other
        assert "Never told" not in shown.text


def test_edit_without_scripts_is_a_version_of_the_newest_message(
    alice: Person, upstream: Upstream, page: Page
):
    editing = alice.get(f"{page.path}?edit={turn_id(page)}")
    assert "use the arrows to see it" in editing.html.select_one("#editing-note").get_text()
    corrected = alice.press(editing, "Send", content="Tell me of lakes")
    corrected = answer(alice, upstream, corrected, "Lake Constance")

    assert version_of(corrected) == "3 of 3"
    assert corrected.html.h1.get_text() == "Tell me of lakes"


def test_edit_without_scripts_of_an_earlier_message_is_sent_at_the_end(
    alice: Person, upstream: Upstream, page: Page
):
    page = answer(alice, upstream, alice.press(page, "Send", content="More"), "Much more")
    editing = alice.get(f"{page.path}?edit={turn_id(page, 0)}")
    assert "sent at the end" in editing.html.select_one("#editing-note").get_text()
    page = answer(alice, upstream, alice.press(editing, "Send", content="Rivers?"), "Rhone")

    assert [version_of(page, number) for number in range(3)] == ["2 of 2", "", ""]


def test_edit_of_a_message_that_is_no_longer_the_newest_keeps_its_text(
    alice: Person, upstream: Upstream, page: Page
):
    editing = alice.get(f"{page.path}?edit={turn_id(page)}")
    answer(alice, upstream, alice.press(page, "Send", content="More"), "Much more")
    refused = alice.press(editing, "Send", content="Tell me of lakes")

    assert refused.status == 409
    assert "The conversation has gone on" in refused.text
    assert refused.html.select_one("#message").get_text() == "Tell me of lakes"
    assert "sent at the end" in refused.html.select_one("#editing-note").get_text()
    last = answer(alice, upstream, alice.press(refused, "Send", content="Tell me of lakes"), "Yes")
    assert len(last.turns) == 3


def test_fragment_for_an_edit_is_a_form_in_the_place_of_the_newest_message(
    alice: Person, page: Page, upstream: Upstream
):
    in_place = alice.get(f"{page.path}?edit={turn_id(page)}", **HTMX_HEADERS)
    assert in_place.response.headers["HX-Retarget"] == f"#turn-{turn_id(page)} .turn__message"
    action, fields = in_place.button_action("Save and send")
    saved = alice.post(action, fields | {"content": "Lakes?"}, **HTMX_HEADERS)

    assert saved.html.select_one("#conversation-title, title").get_text().startswith("Lakes?")
    assert version_of(saved) == "3 of 3"
    upstream.next_call().start_stream().complete("Yes")


def test_other_pages_get_turns_and_versions_that_they_have_not_seen(
    alice: Person, upstream: Upstream, page: Page
):
    def missed(seen: int) -> list[str]:
        fragment = alice.get(f"{page.path}/turns?seen={seen}", **HTMX_HEADERS)
        return [str(turn["data-turn"]) for turn in fragment.turns]

    assert missed(1) == [turn_id(page)]
    assert missed(2) == []
    page = answer(alice, upstream, alice.press(page, "Send", content="More"), "Much more")
    assert missed(1) == [turn_id(page, 0), turn_id(page, 1)]
    assert missed(2) == [turn_id(page, 1)]


def test_search_finds_every_version_and_opens_it(alice: Person, page: Page):
    for word, version in (("Danube", "1 of 2"), ("Rhine", "2 of 2")):
        found = alice.get(f"/conversations?q={word}").html.select_one(".hits a")
        there = alice.get(str(found["href"]))
        assert version_of(there) == version
        assert there.html.select_one("mark#hit").get_text() == word


def test_link_to_a_turn_of_an_older_page_shows_the_page_around_it(
    alice: Person, page: Page, portal: Portal
):
    long = insert_conversation(portal.database, get_only_person(portal.database), 60)
    ids = {
        stored.turn.slot: stored.turn.id
        for stored in portal.turns.list_for_conversation(long, limit=60)
    }

    def shown(slot: int) -> tuple[str, str, bool]:
        there = alice.get(f"/conversations/{long}?turn={ids[slot]}")
        texts = [turn.select_one(".turn__text").get_text() for turn in there.turns]
        return texts[0], texts[-1], there.html.select_one("#message") is not None

    assert shown(41) == ("Question 00041", "Question 00060", True)
    assert shown(40) == ("Question 00030", "Question 00049", False)
    assert shown(1) == ("Question 00001", "Question 00010", False)


def test_markdown_has_what_is_shown_and_json_has_every_version(alice: Person, page: Page):
    markdown = alice.get(f"{page.path}/export?format=md").response.text
    assert "Rhine" in markdown
    assert "Danube" not in markdown

    turns = alice.get(f"{page.path}/export?format=json").response.json()["turns"]
    assert [(turn["slot"], turn["reply"]) for turn in turns] == [
        (1, "The Danube is long"),
        (1, "The Rhine is wide"),
    ]
    assert [turn["version"] for turn in turns] == [1, 2]


def test_message_is_copied_for_another_twin(
    alice: Person, new_person: Callable[[], Person], page: Page
):
    link = page.turns[0].find("a", title=re.compile("Ask another twin"))
    copied = alice.get(str(link["href"]))
    assert copied.html.select_one("#message").get_text() == "Tell me of rivers"
    chosen = copied.html.select_one("#twin option[selected]")["value"]
    assert chosen != "ada"
    conversation = alice.press(copied, "Send", twin=str(chosen), content="Tell me of rivers")
    assert conversation.turns[0].select_one(".turn__text").get_text() == "Tell me of rivers"

    by_card = alice.get(str(copied.html.find("a", {"data-twin": chosen})["href"]))
    assert by_card.html.select_one("#message").get_text() == "Tell me of rivers"
    assert by_card.html.select_one("#twin option[selected]")["value"] == chosen
    stranger = new_person().get(str(link["href"]))
    assert stranger.html.select_one("#message").get_text() == ""


def compare(alice: Person, page: Page) -> tuple[Page, list[str]]:
    """Follow the link "Compare" of the last turn; return the page and the answers on it."""
    link = page.turns[-1].find("a", string=re.compile("Compare"))
    compared = alice.get(str(link["href"]))
    replies = compared.html.select("#answers .turn__reply")
    return compared, [reply.get_text().strip() for reply in replies]


def test_answers_to_a_message_are_compared(
    alice: Person, new_person: Callable[[], Person], upstream: Upstream, page: Page
):
    complete_first_turn(alice, upstream, "Tell me of rivers", "The Nile is old")
    complete_first_turn(new_person(), upstream, "Tell me of rivers", "Secret")
    alice.start_conversation("Tell me of rivers")
    upstream.next_call().respond(500)
    running = alice.start_conversation("Tell me of rivers")
    upstream.next_call().start_stream().delta("The Po is")
    compared, answers = compare(alice, page)

    assert answers == ["The Danube is long", "The Rhine is wide", "The Nile is old"]
    links = compared.html.select("#answers h3 > a")
    labels = [" ".join(link.get_text().split()) for link in links]
    assert labels == ["Ada · version 1", "Ada · version 2", "Ada"]
    assert version_of(alice.get(str(links[0]["href"]))) == "1 of 2"
    assert not running.turns[0].find("a", string=re.compile("Compare"))


def test_versions_of_an_edited_message_are_compared(alice: Person, upstream: Upstream, page: Page):
    editing = alice.get(f"{page.path}?edit={turn_id(page)}")
    edited = alice.press(editing, "Send", content="Tell me of lakes")
    compared, answers = compare(alice, answer(alice, upstream, edited, "Lake Constance"))

    assert answers == ["The Danube is long", "The Rhine is wide", "Lake Constance"]
    messages = [hint.get_text() for hint in compared.html.select("#answers li > .hint")]
    assert messages == ["Tell me of rivers", "Tell me of rivers"]


def test_conversations_of_the_same_title_differ_by_their_times(alice: Person, page: Page):
    [row] = page.html.select("#recent [title^='Tell me of rivers']")

    assert row["title"] > "Tell me of rivers · "


def test_link_to_a_failed_attempt_shows_the_one_that_succeeded(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Tell me of rivers")
    upstream.next_call().respond(500, {})
    page = wait_for_reply(alice, page)
    failed = turn_id(page)
    answer(alice, upstream, alice.press(page, "Try again"), "The Rhine is wide")

    assert alice.get(f"{page.path}?turn={failed}").reply_states == ["complete"]


def test_message_of_another_conversation_is_edited_as_a_copy(
    alice: Person, upstream: Upstream, page: Page
):
    elsewhere = complete_first_turn(alice, upstream, "Lakes", "Lake Constance")
    editing = alice.get(f"{page.path}?edit={turn_id(elsewhere)}")

    assert editing.html.select("#composer [name=replaces]") == []


def test_continuation_of_an_earlier_version_follows_it(
    alice: Person, upstream: Upstream, page: Page
):
    [arrow] = page.turns[0].select("nav a")
    older = alice.get(f"{page.path}{arrow['href']}")
    fragment = alice.get(f"{older.path}{arrow['href']}&edit=".replace("#", "&x="), **HTMX_HEADERS)

    assert fragment.html.select_one("[name=follows]")["value"] == turn_id(older)
