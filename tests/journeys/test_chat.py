"""The main journey, from the gallery to a reply."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.steps import open_conversation, turn
from tests.support.upstream import Upstream


def test_person_goes_from_gallery_to_a_streamed_reply_and_conversation_list(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you like to know?")
    page.get_by_role("link", name="Ada").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")

    page.wait_for_load_state()
    page.get_by_role("textbox", name="Message").fill("Hello Ada")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/conversations/[\w-]{22}$"))
    call = upstream.next_call().start_stream()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(turn(page, "waiting")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()

    call.delta("It **be")
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It be")
    page.reload()
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It be")
    second = context.new_page()
    second.goto(page.url)
    call.delta("gins**")
    for each in (page, second):
        expect(turn(each, "streaming").locator(".turn__reply")).to_have_text("It begins")
    call.complete("It **begins**")
    for each in (page, second):
        expect(turn(each, "complete").locator(".turn__reply strong")).to_have_text("begins")
        expect(each.get_by_role("button", name="Stop")).to_have_count(0)

    page.bring_to_front()
    page.get_by_role("link", name="All conversations").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.get_by_role("main").get_by_role("link", name="Hello Ada").click()
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")


def test_next_message_is_added_to_the_page_and_retry_keeps_the_draft(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("Second\nline")
    box.press("Shift+Enter")
    box.press("End")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_contain_text("Second")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    box.press_sequentially("typing already")
    call.delta("And")
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("And")
    call.complete("And so on")
    expect(turn(page, "complete", 1)).to_contain_text("And so on")
    expect(box).to_have_value("typing already")
    expect(box).to_be_focused()

    box.fill("Tell me")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    call.delta("Half")
    call.close()
    cut = turn(page, "interrupted")
    expect(cut.locator(".note")).to_contain_text("The reply was interrupted")
    box.fill("a draft")
    cut.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete("The whole")
    expect(turn(page, "complete", 2)).to_contain_text("The whole")
    expect(box).to_have_value("a draft")
    assert upstream.sent_messages()[-2:] == ["Tell me", "Tell me"]


def test_error_notice_survives_deltas_and_disappears_with_the_next_message(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    notices = page.locator("#notices")
    context.set_offline(True)
    box.fill("from a tunnel")
    box.press("Enter")
    expect(notices).to_have_text("You're offline. Your text is saved. Try again.")
    expect(notices).to_be_in_viewport()
    expect(box).to_have_value("from a tunnel")
    context.set_offline(False)
    box.press("Enter")
    upstream.next_call().respond(500, {"error": "boom"})
    expect(turn(page, "failed")).to_be_visible()
    expect(notices).to_be_empty()
    page_errors.clear()  # the browser logs failed requests

    box.fill("second")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_visible()
    # A page that was opened before this reply still offers "Try again".
    turn(page, "failed").locator(".note button").dispatch_event("click")
    expect(notices).to_contain_text("still replying")
    call.delta("It goes on")
    expect(turn(page, "streaming")).to_contain_text("It goes on")
    expect(notices).to_contain_text("still replying")
    call.complete("It goes on")
    expect(turn(page, "complete", 1)).to_be_visible()
    assert upstream.sent_messages() == ["Hello", "from a tunnel", "second"]
    assert [text for text in page_errors if "409" not in text] == []
    page_errors.clear()
