"""Rejected messages are returned in the form with the reason, and stored nowhere."""

from __future__ import annotations

import pytest

from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream

TOO_LONG = "too long " * 4_000


def box(page: Page) -> str:
    """Return the text in the composer."""
    textarea = page.html.select_one("#message")
    assert textarea
    return textarea.get_text()


def buttons(page: Page) -> list[str]:
    """Return the labels of all buttons."""
    return [button.get_text().strip() for button in page.html.select("button")]


def edit(person: Person, page: Page) -> Page:
    """Open the page that the Edit button of the first turn leads to."""
    return person.get(f"{page.path}?edit={page.turns[0]['data-turn']}")


@pytest.fixture
def begun(alice: Person, upstream: Upstream) -> Page:
    """Return the page of a conversation with one turn."""
    return complete_first_turn(alice, upstream, "Hello", "Hello to you")


def test_rejected_message_can_be_sent_from_the_page_that_rejected_it(
    alice: Person, upstream: Upstream, begun: Page
):
    alice.press(begun, "Send", content="long")
    call = upstream.next_call().start_stream()
    refused = alice.press(begun, "Send", content="too early")
    assert refused.status == 409
    assert "still replying" in refused.html.select_one("#composer [role=alert]").get_text()
    assert box(refused) == "too early"
    assert "Stop" in buttons(refused)
    call.complete("One")
    wait_for_reply(alice, begun)

    page = alice.press(refused, "Send", content=box(refused))
    upstream.next_call().start_stream().complete("Two")
    assert wait_for_reply(alice, page).reply_states == ["complete"] * 3
    assert upstream.sent_messages() == ["Hello", "long", "too early"]


def test_page_with_an_edited_message_or_a_notice_does_not_auto_refresh(
    alice: Person, upstream: Upstream, begun: Page
):
    page = alice.press(begun, "Send", content="long")
    call = upstream.next_call().start_stream()
    edited, pinned = edit(alice, page), alice.press(page, "Pin")

    assert "” pinned" in pinned.html.select_one(".note").get_text()
    assert "done=pinned" in pinned.response.url
    assert box(edited) == "Hello"
    assert "Send" in buttons(edited)
    following = [bool(each.html.select("noscript meta")) for each in (page, edited, pinned)]
    assert following == [True, False, False]
    call.complete()


def test_rejected_edit_is_shown_as_an_edit(alice: Person, begun: Page):
    refused = alice.press(edit(alice, begun), "Send", content=TOO_LONG)

    assert box(refused) == TOO_LONG
    assert refused.html.select_one("#editing-note")
    assert box(edit(alice, begun)) == "Hello"


def test_rejected_retry_does_not_fill_the_composer(alice: Person, upstream: Upstream, begun: Page):
    alice.press(alice.get(begun.path), "Try again")
    call = upstream.next_call().start_stream()
    refused = alice.press(begun, "Try again")

    assert "still replying" in refused.html.select_one("#form-error").get_text()
    assert box(refused) == ""
    call.complete("One")
