"""One press of a button sends one message, whatever browsers and networks do."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.page_steps import (
    double_click_send,
    message_box,
    press_enter_twice,
    reply_text,
    send_message,
    turn,
    wait_until_settled,
)
from tests.support.traffic import (
    CONVERSATION_URL,
    drop_next_response,
    is_post,
    record_requests,
)
from tests.support.upstream import Upstream


@pytest.mark.fault("F62", "F63")
def test_double_click_double_enter_back_and_forward_send_nothing_again(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    for name, press in (("click", double_click_send), ("enter", press_enter_twice)):
        page.goto("/twins/ada")
        message_box(page).fill(f"first {name}")
        press(page)
        upstream.next_call().start_stream().complete("ok")
        expect(turn(page, "complete")).to_contain_text("ok")
        wait_until_settled(page)
        message_box(page).fill(f"next {name}")
        press(page)
        upstream.next_call().start_stream().complete("And so on")
        expect(reply_text(page, "complete", 1)).to_have_text("And so on")
        wait_until_settled(page)
    posts = record_requests(page, is_post)

    page.get_by_role("link", name="All conversations").click()
    for name in ("first click", "first enter"):
        expect(page.locator("#search-results").get_by_role("link", name=name)).to_have_count(1)
    page.go_back()
    expect(page.locator(".turn")).to_have_count(2)
    expect(reply_text(page, "complete", 1)).to_have_text("And so on")
    expect(message_box(page)).to_have_value("")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.go_forward()
    expect(page.locator(".turn")).to_have_count(2)
    assert posts == []
    assert upstream.sent_messages() == ["first click", "next click", "first enter", "next enter"]


@pytest.mark.fault("F62")
@pytest.mark.usefixtures("bad_network")
def test_message_whose_response_is_lost_is_sent_once(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    notices = page.locator("#notices")
    page.goto("/twins/ada")
    drop_next_response(page)
    send_message(page, "first")
    expect(notices).to_contain_text("Your text is saved")
    call = upstream.next_call().start_stream()
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(CONVERSATION_URL)
    call.complete("ok")
    expect(turn(page, "complete")).to_be_visible()

    drop_next_response(page)
    send_message(page, "second")
    expect(notices).to_contain_text("Your text is saved")
    expect(message_box(page)).to_have_value("second")
    call = upstream.next_call().start_stream()
    press_enter_twice(page)
    expect(turn(page, "waiting")).to_contain_text("second")
    expect(message_box(page)).to_have_value("")
    call.delta("It is")
    expect(reply_text(page)).to_have_text("It is")
    call.complete("It is live")
    expect(reply_text(page, "complete", 1)).to_have_text("It is live")

    drop_next_response(page)
    send_message(page, "third")
    expect(notices).to_contain_text("Your text is saved")
    upstream.next_call().start_stream().complete("One")
    for _ in range(2):
        page.reload()
        expect(turn(page, "complete", 2)).to_contain_text("third")
        expect(message_box(page)).to_have_value("")  # a sent message is not kept as a draft
    assert upstream.sent_messages() == ["first", "second", "third"]
