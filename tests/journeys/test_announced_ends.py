"""Announcements at the end of a reply, however it ends."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.announcer import next_announcements, open_recorded_conversation, start_turn
from tests.journeys.steps import WAIT_FOR_PAINT, message_box, reply_text, send_message, turn
from tests.journeys.traffic import CONVERSATION_URL, DelayedRequest
from tests.journeys.window import RECORD_ANNOUNCEMENTS
from tests.support.html import parse_html
from tests.support.upstream import Upstream


def complete_reply_before_page_load(page: Page, upstream: Upstream) -> None:
    """Send a message whose conversation page is delayed, and wait until its reply is complete."""
    with page.expect_request(CONVERSATION_URL) as asked_for:
        send_message(page, "Hello")
        upstream.next_call().start_stream().complete("Hello to you.")
    whole = parse_html(page.request.get(asked_for.value.url).text())
    page.request.get(f"/turns/{whole.select('.turn')[-1]['data-turn']}/events")  # to its end


def test_source_and_messages_left_are_announced(context: BrowserContext, upstream: Upstream):
    page = open_recorded_conversation(context, upstream)
    send_message(page, "More")
    call = upstream.next_call()
    limits = {"x_ratelimit_limit": "500", "x_ratelimit_remaining": "3", "x_ratelimit_reset": "600"}
    call.send_head(200, content_type="text/event-stream", **limits)
    call.delta("It rises.")
    source = {"file": "bread.md", "heading": "Why bread rises", "passage": "It rises."}
    call.send_event(type="complete", message={"content": "It rises.", "sources": [source]})
    call.close()
    turn(page, "complete", 1).wait_for()

    announced = " ".join(next_announcements(page))
    assert (
        "It rises. Quoted from Why bread rises bread.md. The reply is complete. 3 mess" in announced
    )


def test_every_kind_of_reply_end_is_announced(context: BrowserContext, upstream: Upstream):
    page = open_recorded_conversation(context, upstream)
    call = start_turn(page, upstream)
    call.delta("One")
    turn(page, "streaming").wait_for()
    call.close()
    turn(page, "interrupted").wait_for()
    assert "The reply was interrupted." in " ".join(next_announcements(page))

    call = start_turn(page, upstream)
    call.delta("It is so. Th")
    turn(page, "streaming").wait_for()
    assert next_announcements(page)[-1] == "It is so."
    call.delta("is i")
    expect(reply_text(page)).to_contain_text("This i")
    page.get_by_role("button", name="Stop").click()
    turn(page, "stopped").wait_for()
    assert next_announcements(page) == ["Stopped."]

    call = start_turn(page, upstream)
    call.delta("One.")
    turn(page, "streaming").wait_for()
    next_announcements(page)
    call.complete("One. Two.")
    turn(page, "complete", 1).wait_for()
    send_message(page, "Sent before the end is announced")
    upstream.next_call().start_stream().complete("Three.")
    turn(page, "complete", 2).wait_for()
    announced = " ".join(next_announcements(page))
    assert "Two. The reply is complete." in announced
    assert announced.endswith("Three. The reply is complete.")


def test_page_reopened_during_a_reply_announces_only_new_text(
    context: BrowserContext, upstream: Upstream
):
    page = open_recorded_conversation(context, upstream)
    call = start_turn(page, upstream)
    call.delta("One. Two. Three. Fo")
    turn(page, "streaming").wait_for()
    assert "Three." in " ".join(next_announcements(page))
    address = page.url
    page.goto("/conversations")
    page.goto(address)
    page.evaluate(RECORD_ANNOUNCEMENTS)
    call.complete("One. Two. Three. Four.")
    turn(page, "complete", 1).wait_for()

    announced = " ".join(next_announcements(page))
    assert "Four." in announced
    assert "Three." not in announced


@pytest.mark.parametrize("is_script_slow", [False, True])
def test_reply_that_ends_before_its_page_or_script_loads_is_announced(
    context: BrowserContext, upstream: Upstream, is_script_slow: bool
):
    page = context.new_page()
    page.goto("/twins/ada")
    page_load = DelayedRequest(page, CONVERSATION_URL)
    script_load = DelayedRequest(page, "**/conversation.js") if is_script_slow else None
    complete_reply_before_page_load(page, upstream)
    page_load.release()
    if script_load:
        expect(page.locator("html")).to_have_class(re.compile("scripts"))
        page.evaluate(WAIT_FOR_PAINT)
        script_load.release()

    expect(page.locator("#announcer")).to_have_text("Hello to you. The reply is complete.")
    expect(message_box(page)).to_be_focused()
