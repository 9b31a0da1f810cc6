"""Rejected messages are kept until they are sent or discarded, without JavaScript."""

from __future__ import annotations

import pytest

from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Call, Upstream

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
    return person.get(f"{page.path}?words_of={page.turns[0]['data-turn']}")


def discard(person: Person, page: Page) -> Page:
    """Press the Discard button."""
    button = page.html.find("button", string="Discard")
    assert button
    return person.post(str(button["formaction"]), {str(button["name"]): str(button["value"])})


@pytest.fixture
def begun(alice: Person, upstream: Upstream) -> Page:
    """Return the page of a conversation with one turn."""
    return complete_first_turn(alice, upstream, "Hello", "Hello to you")


def too_early(alice: Person, upstream: Upstream, begun: Page) -> tuple[Page, Call]:
    """Send a message from a second window while a reply is running; return page and call."""
    alice.press(begun, "Send", content="long")
    call = upstream.next_call().start_stream()
    return alice.press(begun, "Send", content="too early"), call


def test_rejected_message_can_be_sent_from_the_page_that_rejected_it(
    alice: Person, upstream: Upstream, begun: Page
):
    refused, call = too_early(alice, upstream, begun)
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


def test_rejected_message_stays_after_stop_until_it_is_sent(
    alice: Person, upstream: Upstream, begun: Page
):
    refused, _ = too_early(alice, upstream, begun)
    stopped = alice.press(refused, "Stop")
    assert box(stopped) == "too early"

    page = alice.press(stopped, "Send", content=box(stopped))
    upstream.next_call().start_stream().complete("Two")
    page = wait_for_reply(alice, page)
    assert page.reply_states == ["complete", "stopped", "complete"]
    assert box(page) == ""


def test_rejected_message_survives_sending_an_edited_message(
    alice: Person, upstream: Upstream, begun: Page
):
    refused, call = too_early(alice, upstream, begun)
    call.complete("One")
    page = wait_for_reply(alice, refused)
    edited = edit(alice, page)
    assert (box(edited), "the earlier one stays" in edited.text) == ("Hello", True)
    page = alice.press(edited, "Send", content="Hello again")
    upstream.next_call().start_stream().complete("Two")

    assert box(wait_for_reply(alice, page)) == "too early"


def test_rejected_message_survives_a_message_from_another_window(
    alice: Person, upstream: Upstream, begun: Page
):
    alice.press(begun, "Send", content=TOO_LONG)
    page = alice.press(begun, "Send", content="Short.")
    upstream.next_call().start_stream().complete("One")
    page = wait_for_reply(alice, page)

    assert box(page) == TOO_LONG
    assert "Discard" in buttons(page)


def test_rejected_retry_does_not_replace_a_rejected_message(
    alice: Person, upstream: Upstream, begun: Page
):
    alice.press(begun, "Send", content=TOO_LONG)
    alice.press(alice.get(begun.path), "Ask again")
    call = upstream.next_call().start_stream()
    refused = alice.press(begun, "Ask again")
    assert "still replying" in refused.html.select_one("#form-error").get_text()
    assert box(refused) == TOO_LONG
    call.complete("One")

    assert box(wait_for_reply(alice, refused)) == TOO_LONG


def test_rejected_first_message_is_kept_on_the_page_of_its_twin(alice: Person, upstream: Upstream):
    refused = alice.start_conversation(TOO_LONG)
    assert "too long" in refused.html.select_one("#form-error").get_text()
    alice.get("/conversations")
    page = alice.get("/twins/ada")
    assert box(page) == TOO_LONG

    page = alice.press(page, "Send", content="Short.")
    upstream.next_call().start_stream().complete("One")
    wait_for_reply(alice, page)
    assert box(alice.get("/twins/ada")) == ""


def test_rejected_message_can_be_discarded(alice: Person, begun: Page):
    wrong = []
    for path in ("/twins/ada", begun.path):
        alice.press(alice.get(path), "Send", content=TOO_LONG)
        page = alice.get(path)
        kept = box(page) == TOO_LONG and "These words were not sent." in page.text
        discarded = discard(alice, page)
        if not kept or box(discarded) or box(alice.get(path)):
            wrong.append(path)
    assert wrong == []


def test_rejected_edit_can_be_discarded(alice: Person, begun: Page):
    alice.press(edit(alice, begun), "Send", content=TOO_LONG)
    page = edit(alice, begun)
    assert "These words were not sent." in page.text
    assert box(page) == TOO_LONG

    assert box(discard(alice, page)) == ""
    assert box(edit(alice, begun)) == "Hello"


def test_rejected_edit_is_removed_when_it_is_sent(alice: Person, upstream: Upstream, begun: Page):
    alice.press(edit(alice, begun), "Send", content=TOO_LONG)
    page = alice.press(edit(alice, begun), "Send", content="Short now.")
    upstream.next_call().start_stream().complete("Two")
    page = wait_for_reply(alice, page)

    assert box(page) == ""
    assert "Discard" not in buttons(page)
    assert box(edit(alice, page)) == "Hello"


def test_blank_message_is_rejected_and_not_kept(alice: Person):
    assert (
        "nothing to send"
        in alice.start_conversation("   ").html.select_one("#form-error").get_text()
    )

    assert alice.get("/twins/ada/conversations").path == "/twins/ada"
    assert "Discard" not in buttons(alice.get("/twins/ada"))


def test_page_with_an_edited_message_or_a_notice_does_not_auto_refresh(
    alice: Person, upstream: Upstream, begun: Page
):
    page = alice.press(begun, "Send", content="long")
    call = upstream.next_call().start_stream()
    edited, pinned = edit(alice, page), alice.press(page, "Pin")

    assert "was pinned" in pinned.html.select_one(".note").get_text()
    assert "done=pinned" in pinned.response.url
    assert box(edited) == "Hello"
    assert "Send" in buttons(edited)
    following = [bool(each.html.select("noscript meta")) for each in (page, edited, pinned)]
    assert following == [True, False, False]
    call.complete()


def test_idempotency_key_is_kept_until_the_new_conversation_is_seen(
    alice: Person, upstream: Upstream
):
    keys = []
    action, fields = alice.get("/twins/ada").button_action("Send")
    for _ in range(2):
        fields = alice.get("/twins/ada").button_action("Send")[1] | {"content": "once"}
        keys.append(fields["key"])
        lost = alice.session.post(
            alice.base_url + action, data=fields, allow_redirects=False, timeout=10
        )
    upstream.next_call().start_stream().complete("ok")
    wait_for_reply(alice, alice.get(lost.headers["Location"]))

    assert keys[0] == keys[1]
    assert alice.get("/twins/ada").button_action("Send")[1]["key"] != keys[0]
    assert upstream.sent_messages() == ["once"]
