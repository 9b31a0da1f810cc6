"""One press of a button sends one message, whatever browsers and networks do."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import (
    double_click_send,
    message_box,
    press_enter_twice,
    reply_text,
    send_message,
    turn,
    wait_until_settled,
)
from tests.journeys.traffic import is_post, record_requests
from tests.support.upstream import Upstream


@pytest.mark.fault("F62")
def test_double_click_or_double_enter_sends_one_message(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    messages = []
    for name, press in (("click", double_click_send), ("enter", press_enter_twice)):
        page.goto("/twins/ada")
        message_box(page).fill(f"first {name}")
        press(page)
        upstream.next_call().start_stream().complete("ok")
        expect(turn(page, "complete")).to_contain_text("ok")

        message_box(page).fill(f"next {name}")
        press(page)
        call = upstream.next_call().start_stream()
        call.delta("It is")
        expect(reply_text(page)).to_have_text("It is")
        call.complete("It is live")
        expect(reply_text(page, "complete", 1)).to_have_text("It is live")
        expect(page.locator(".turn")).to_have_count(2)
        page.reload()
        expect(page.locator(".turn")).to_have_count(2)
        messages += [f"first {name}", f"next {name}"]
    page.goto("/conversations")
    for name in ("first click", "first enter"):
        expect(page.locator("#search-results").get_by_role("link", name=name)).to_have_count(1)
    assert upstream.sent_messages() == messages


@pytest.mark.fault("F63")
def test_back_and_forward_after_sending_show_the_conversation(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    for number, content in enumerate(("Hello", "Second")):
        send_message(page, content)
        upstream.next_call().start_stream().complete("And so on")
        expect(turn(page, "complete", number)).to_be_visible()
        wait_until_settled(page)
    posts = record_requests(page, is_post)

    page.get_by_role("link", name="All conversations").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.go_back()
    expect(page.locator(".turn")).to_have_count(2)
    expect(reply_text(page, "complete", 1)).to_have_text("And so on")
    expect(message_box(page)).to_have_value("")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.go_forward()
    expect(page.locator(".turn")).to_have_count(2)
    assert posts == []
    assert upstream.sent_messages() == ["Hello", "Second"]
