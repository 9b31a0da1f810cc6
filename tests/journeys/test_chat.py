"""The main journey, from the gallery to a reply."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import (
    message_box,
    open_conversation,
    progress,
    reply_text,
    send_message,
    turn,
)
from tests.support.traffic import DelayedRequest
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
    expect(reply_text(page)).to_have_text("It be")
    call.complete("It **begins**")
    expect(reply_text(page, "complete").locator("strong")).to_have_text("begins")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)

    page.get_by_role("link", name="All conversations").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.get_by_role("main").get_by_role("link", name="Hello Ada").click()
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")


def test_error_notice_survives_deltas(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    notices = page.locator("#notices")
    box.fill("first")
    box.press("Enter")
    upstream.next_call().respond(500, {"error": "boom"})
    expect(turn(page, "failed")).to_be_visible()

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
    expect(notices).to_be_in_viewport()
    call.complete("It goes on")
    expect(turn(page, "complete", 1)).to_be_visible()
    assert upstream.sent_messages() == ["Hello", "first", "second"]
    assert [text for text in page_errors if "409" not in text] == []
    page_errors.clear()


def test_long_wait_shows_progress_and_from_ten_seconds_on_its_duration(
    context: BrowserContext, upstream: Upstream
):
    context.clock.install()
    page = open_conversation(context, upstream)
    send_message(page, "Again")
    call = upstream.next_call().start_stream()
    call.send_event(type="progress", progress={"stage": "reading", "percent": 40})
    expect(progress(page)).to_contain_text("Reading… 40%")
    expect(progress(page).locator("progress")).to_have_js_property("position", 0.4)
    page.clock.run_for(9_000)
    expect(progress(page)).not_to_have_attribute("data-seconds", re.compile("."))
    page.clock.run_for(6_000)
    expect(progress(page)).to_have_attribute("data-seconds", re.compile(r"^1[45]s$"))
    call.send_event(type="progress", progress={"stage": "writing"})
    expect(progress(page)).to_contain_text("Writing…")
    expect(progress(page)).to_have_attribute("data-seconds", re.compile("s$"))
    call.complete("Yes")
    expect(progress(page)).to_have_count(0)


def test_first_message_is_shown_at_once_and_returns_to_the_box_if_it_is_not_sent(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = context.new_page()
    page.goto("/")
    box, heading = message_box(page), page.get_by_role("heading", level=1)
    request = DelayedRequest(page, "**/conversations")
    box.fill("Hello Ada")
    box.press("Enter")
    expect(page.locator("main > .turn__content")).to_have_text("Hello Ada")
    expect(heading).to_be_hidden()
    expect(box).to_be_focused()
    request.abort()
    expect(heading).to_be_visible()
    expect(page.locator("main > .turn__content")).to_have_count(0)
    expect(box).to_have_value("Hello Ada")
    expect(box).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    page_errors.clear()

    page.unroute_all()
    request = DelayedRequest(page, "**/conversations")
    box.press("Enter")
    expect(page.locator("main > .turn__content")).to_have_text("Hello Ada")
    expect(box).to_have_css("color", "rgba(0, 0, 0, 0)")
    box.press("End")
    box.press_sequentially(" and")
    expect(box).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    with page.expect_response("**/conversations/recent*"):
        page.evaluate("new BroadcastChannel('tab-sync').postMessage('/elsewhere')")
    expect(page.locator("main > .turn__content")).to_have_text("Hello Ada")
    request.release()
    expect(turn(page, "waiting").locator(".turn__text")).to_have_text("Hello Ada")
    upstream.next_call().start_stream().complete("Hi")
    assert upstream.sent_messages() == ["Hello Ada"]
