"""Deleting conversations, undo, and the final purge."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from chat import deletion
from chat.schema import conversations, entries, turns
from tests.blueprints.conversation_list import backdate, listed_titles
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from web.container import Portal


def test_deleted_conversation_is_hidden_everywhere_and_can_be_restored(alice: Person, page: Page):
    gone = alice.press(page, "Delete")

    assert gone.path == "/conversations"
    assert "“ Why is the sky blue? ” deleted" in gone.text
    assert listed_titles(gone) == []
    for path in (page.path, f"{page.path}/export?format=md"):
        assert alice.get(path).status == 404
    for view in ("q=sky", "view=archived", "page=1"):
        assert listed_titles(alice.get(f"/conversations?{view}")) == []
    for button, more in (("Rename", {"title": "x"}), ("Pin", {}), ("Archive", {})):
        assert alice.press(page, button, **more).status == 404
    sent = alice.press(page, "Send", content="My words")
    assert sent.status == 404
    assert "My words" in sent.html.select_one("textarea").get_text()

    assert listed_titles(alice.press(gone, "Undo")) == ["Why is the sky blue?"]
    assert alice.press(gone, "Undo").status == 200
    assert alice.get(page.path).reply_states == ["complete"]


def test_url_of_a_deleted_conversation_offers_to_restore_it_until_the_deadline(
    alice: Person, bob: Person, portal: Portal, page: Page
):
    alice.press(page, "Delete")
    gone = alice.get(page.path)
    assert gone.status == 404
    assert "You deleted this conversation" in gone.html.h1.get_text()
    foreign = bob.get(page.path)
    assert "is someone else's, was deleted" in foreign.text
    assert "Restore" not in foreign.text

    back = alice.press(gone, "Restore")
    assert back.path == page.path
    assert "” restored" in back.html.select_one(".note[autofocus]").get_text()

    alice.press(back, "Delete")
    backdate(portal, page, deletion.RESTORABLE_SECONDS / 86_400 + 0.01, "deleted_at")
    late = alice.get(page.path)
    assert "Restore" not in late.text
    assert "was deleted" in late.text


def test_undo_returns_an_archived_conversation_to_the_archive(alice: Person, page: Page):
    alice.press(page, "Archive")
    back = alice.press(alice.press(alice.get(page.path), "Delete"), "Undo")

    assert listed_titles(back) == ["Why is the sky blue?"]
    assert back.html.h1.get_text() == "Archived conversations"


def test_deleting_twice_is_accepted(alice: Person, page: Page):
    alice.press(page, "Delete")

    assert "” deleted" in alice.press(page, "Delete").text


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


def test_deleted_conversation_is_purged_after_the_undo_period(
    alice: Person, portal: Portal, upstream: Upstream, page: Page
):
    other = complete_first_turn(alice, upstream, "Other", "Yes")
    gone = alice.press(page, "Delete")
    backdate(portal, page, deletion.RESTORABLE_SECONDS / 86_400, "deleted_at")
    late = alice.press(gone, "Undo")
    assert late.status == 404
    assert "” deleted" not in alice.get(gone.response.url.removeprefix(alice.base_url)).text

    portal.deletions.purge_expired()
    assert rows(portal) == (1, 1, 1)
    assert alice.get(other.path).status == 200


def rows(portal: Portal) -> tuple[int, ...]:
    with portal.database.read() as connection:
        return tuple(
            len(connection.execute(select(table)).all())
            for table in (conversations, turns, entries)
        )


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
    backdate(portal, page, deletion.RESTORABLE_SECONDS / 86_400 + 0.01, "deleted_at")
    assert "Deleted in" not in alice.get("/conversations").text


@pytest.mark.limit("L1")
def test_very_long_rejected_message_is_shown_in_the_response_and_not_stored(
    alice: Person, page: Page
):
    words = "x" * 320_001
    refused = alice.press(page, "Send", content=words)

    assert words in refused.html.select_one("#message").get_text()
    assert alice.get(page.path).html.select_one("#message").get_text() == ""


def test_same_message_can_start_a_new_conversation_after_deletion(
    alice: Person, upstream: Upstream
):
    action, fields = alice.get("/twins/ada").button_action("Send")
    for _ in range(2):
        answer = alice.post(action, fields | {"content": "Hello"}, **HTMX_HEADERS).response
        path = answer.headers["HX-Redirect"]
        upstream.next_call().start_stream().complete("Hello to you")
        alice.press(alice.get("/conversations"), "Delete")
        assert alice.get(path).status == 404
        action, fields = alice.get("/twins/ada").button_action("Send")

    assert upstream.sent_messages() == ["Hello", "Hello"]
