"""Deleting conversations, undo, and the final purge."""

from __future__ import annotations

from tests.support.conversation_list import backdate, listed_titles
from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.chat import deletion
from twindow.web.container import Portal


def test_deleted_conversation_is_hidden_everywhere_and_can_be_restored(alice: Person, page: Page):
    gone = alice.press(page, "Delete")

    assert gone.path == "/conversations"
    assert "“ Why is the sky blue? ” deleted" in gone.text
    assert listed_titles(gone) == []
    for path in (page.path, f"{page.path}/export?format=md"):
        assert alice.get(path).status == 404
    for view in ("q=sky", "view=archived", "page=1"):
        assert listed_titles(alice.get(f"/conversations?{view}")) == []
    for button in ("Pin", "Archive"):
        assert alice.press(page, button).status == 404
    assert alice.post(f"{page.path}/title", {"title": "x"}).status == 404
    sent = alice.press(page, "Send", content="My words")
    assert sent.status == 404
    assert "My words" in sent.html.select_one("textarea").get_text()

    assert "” deleted" in alice.press(page, "Delete").text
    assert listed_titles(alice.press(gone, "Undo")) == ["Why is the sky blue?"]
    assert alice.press(gone, "Undo").status == 200
    assert alice.get(page.path).reply_states == ["complete"]


def pass_the_undo_period(portal: Portal, page: Page) -> None:
    backdate(portal, page, deletion.RESTORABLE_SECONDS / 86_400 + 0.01, "deleted_at")


def test_url_of_a_deleted_conversation_offers_to_restore_it_until_the_deadline(
    alice: Person, bob: Person, portal: Portal, page: Page
):
    notice = alice.press(page, "Delete").response.url.removeprefix(alice.base_url)
    gone = alice.get(page.path)
    assert gone.status == 404
    assert "You deleted this conversation" in gone.html.h1.get_text()
    foreign = bob.get(page.path)
    assert "is someone else's, was deleted" in foreign.text
    assert "Restore" not in foreign.text
    assert "” deleted" not in bob.get(notice).text

    back = alice.press(gone, "Restore")
    assert back.path == page.path
    assert "” restored" in back.html.select_one(".note[autofocus]").get_text()

    alice.press(back, "Delete")
    pass_the_undo_period(portal, page)
    late = alice.get(page.path)
    assert "Restore" not in late.text
    assert "was deleted" in late.text
    assert alice.press(gone, "Restore").status == 404
    assert "” deleted" not in alice.get(notice).text


def test_undo_returns_an_archived_conversation_to_the_archive(alice: Person, page: Page):
    alice.press(page, "Archive")
    back = alice.press(alice.press(alice.get(page.path), "Delete"), "Undo")

    assert listed_titles(back) == ["Why is the sky blue?"]
    assert back.html.h1.get_text() == "Archived conversations"


def test_deletion_stops_the_reply_followed_in_another_tab(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Tell me all")
    call = upstream.next_call().start_stream()
    call.delta("It began")
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        stream.read_until("It began")
        alice.press(page, "Delete")
        frames = "".join(event.data for event in stream.remaining_events())

    assert "Stopped because the conversation was deleted." in frames
    assert call.wait_for_disconnect()


def test_list_offers_to_restore_a_conversation_for_ten_minutes_after_a_deletion(
    alice: Person, bob: Person, portal: Portal, page: Page
):
    alice.press(page, "Delete")
    bob.get("/conversations")
    listed = alice.get("/conversations")

    assert "Deleted in the last ten minutes" in listed.text
    assert "Deleted in" not in bob.get("/conversations").text
    assert listed_titles(alice.press(listed, "Restore")) == ["Why is the sky blue?"]
    alice.press(alice.get(page.path), "Delete")
    pass_the_undo_period(portal, page)
    assert "Deleted in" not in alice.get("/conversations").text


def test_message_of_a_deleted_conversation_is_sent_again_only_with_a_new_form(
    alice: Person, upstream: Upstream
):
    form = alice.get("/twins/ada")
    page = alice.press(form, "Send", content="Hello")
    upstream.next_call().start_stream().complete("Hello to you")
    alice.press(wait_for_reply(alice, page), "Delete")
    repeated = alice.press(form, "Send", content="Hello")

    assert repeated.status == 404
    assert repeated.html.select_one("#submitted-text").get_text() == "Hello"
    assert complete_first_turn(alice, upstream, "Hello", "Again").path != page.path
    assert upstream.sent_messages() == ["Hello", "Hello"]
