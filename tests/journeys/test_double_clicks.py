"""Repeated or mistimed clicks and keys: nothing unintended happens."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page_steps import message_box, open_conversation, reply_text, send_message, turn
from tests.support.upstream import Upstream

BETWEEN_MS = 300
LATER_MS = 600


@pytest.fixture
def page(context: BrowserContext, upstream: Upstream) -> Page:
    page = open_conversation(context, upstream)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1_000)
    return page


def press(page: Page, name: str) -> tuple[float, float]:
    """Click a button of the composer; return the position of the click."""
    button = page.get_by_role("button", name=name)
    button.hover()
    place = button.bounding_box()
    assert place
    middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.click(*middle)
    return middle


def test_double_click_counts_once_and_click_meant_for_stop_sends_nothing(
    page: Page, upstream: Upstream
):
    message_box(page).fill("once")
    middle = press(page, "Send")
    call = upstream.next_call().start_stream()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)
    call.delta("Still here")
    page.clock.run_for(LATER_MS)
    expect(reply_text(page)).to_have_text("Still here")

    message_box(page).fill("half a thought")
    page.clock.run_for(LATER_MS)
    middle = press(page, "Stop")
    expect(turn(page, "stopped")).to_be_visible()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)
    expect(message_box(page)).to_have_value("half a thought")

    page.clock.run_for(LATER_MS)
    send_message(page, "twice")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(reply_text(page)).to_have_text("One")
    message_box(page).fill("half a thought")
    page.clock.run_for(LATER_MS)
    call.complete("One")
    page.get_by_role("button", name="Send").wait_for()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)  # meant for Stop: the reply has just ended
    message_box(page).press("End")
    page.keyboard.type(" more")
    page.mouse.click(*middle)
    assert upstream.next_call().body["content"] == "half a thought more"
    assert upstream.sent_messages() == ["Hello", "once", "twice", "half a thought more"]


def test_enter_meant_for_stop_stops_the_reply_and_never_sends_the_draft(
    page: Page, upstream: Upstream
):
    page.get_by_role("button", name="Try again").press("Enter")
    upstream.next_call().start_stream().delta("One")
    expect(message_box(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")
    expect(turn(page, "stopped")).to_be_visible()

    send_message(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(reply_text(page)).to_have_text("One")
    message_box(page).fill("half a dra")
    page.get_by_role("button", name="Stop").focus()
    call.complete("One")
    expect(message_box(page)).to_be_focused()
    page.keyboard.press("Enter")  # the reply has just ended, so this sends nothing
    page.keyboard.press("End")
    page.keyboard.type("ft")
    page.keyboard.press("Enter")
    assert upstream.next_call().body["content"] == "half a draft"
