"""The way through, in a real Chromium."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun, say, turn
from tests.support.upstream import Upstream

OFFLINE = "You are offline. Your text is still here; try again."


def test_gallery_to_reply_and_back(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Twins")
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
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It **be")
    page.reload()
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It **be")
    second = context.new_page()
    second.goto(page.url)
    call.delta("gins**")
    for each in (page, second):
        expect(turn(each, "streaming").locator(".turn__reply")).to_have_text("It begins")
    call.complete("It **begins**")
    for each in (page, second):
        expect(turn(each, "complete").locator(".turn__reply strong")).to_have_text("begins")
        expect(each.get_by_role("button", name="Stop")).to_have_count(0)

    page.get_by_role("link", name="Conversations", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.get_by_role("link", name="Hello Ada").click()
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")


def test_the_next_message_joins_the_page_and_focus_stays(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
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


def test_stop_from_another_tab(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.get_by_role("textbox", name="Message").fill("Go on for ever")
    page.keyboard.press("Enter")
    call = upstream.next_call().start_stream()
    call.delta("For ever and")
    expect(turn(page, "streaming")).to_be_visible()
    second = context.new_page()
    second.goto(page.url)
    second.get_by_role("button", name="Stop").click()

    for each in (page, second):
        expect(turn(each, "stopped")).to_contain_text("For ever and")
        expect(turn(each, "stopped").locator(".note")).to_contain_text("You stopped")
    assert call.wait_for_disconnect()


def test_a_cut_reply_offers_retry_and_retry_leaves_the_draft_alone(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("Tell me")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    call.delta("Half")
    call.close()
    cut = turn(page, "interrupted")
    expect(cut.locator(".note")).to_contain_text("The reply was cut off")
    box.fill("a draft")

    cut.get_by_role("button", name="Retry").click()
    upstream.next_call().start_stream().complete("The whole")

    expect(turn(page, "complete", 1)).to_contain_text("The whole")
    expect(box).to_have_value("a draft")
    assert upstream.sent_messages()[-2:] == ["Tell me", "Tell me"]


def test_a_notice_outlives_the_next_piece_of_a_running_reply(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("first")
    box.press("Enter")
    upstream.next_call().respond(500, {"error": "boom"})
    expect(turn(page, "failed")).to_be_visible()
    box.fill("second")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_visible()

    # As in a page that was left open.
    turn(page, "failed").locator(".note button").dispatch_event("click")
    expect(page.locator("#notices")).to_contain_text("still replying")
    call.delta("It goes on")
    expect(turn(page, "streaming")).to_contain_text("It goes on")
    expect(page.locator("#notices")).to_contain_text("still replying")
    call.complete("It goes on")
    expect(turn(page, "complete", 1)).to_be_visible()
    assert [text for text in surprises if "409" not in text] == []
    surprises.clear()


def test_words_written_offline_stay_and_can_be_sent_later(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    context.set_offline(True)
    box.fill("from a tunnel")
    box.press("Enter")
    expect(page.locator("#notices")).to_have_text(
        "You are offline. Your text is still here; try again."
    )
    expect(page.locator("#notices")).to_be_in_viewport()
    expect(box).to_have_value("from a tunnel")

    context.set_offline(False)
    box.press("Enter")
    upstream.next_call().start_stream().complete("Welcome back")
    expect(turn(page, "complete", 1)).to_contain_text("Welcome back")
    expect(page.locator("#notices")).to_be_empty()
    assert upstream.sent_messages() == ["Hello", "from a tunnel"]
    surprises.clear()  # the failed request itself


def test_words_that_cannot_be_sent_now_stay_in_the_box(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("first")
    box.press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_visible()
    box.fill("too early")
    box.press("Enter")

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box).to_have_value("too early")
    call.complete("done")
    expect(turn(page, "complete", 1)).to_be_visible()
    expect(page.locator("#composer").get_by_role("alert")).to_have_count(0)
    expect(box).to_have_value("too early")
    assert [text for text in surprises if "409" not in text] == []
    surprises.clear()


def test_the_gallery_searches_as_one_types(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("listitem").filter(has=page.locator("h2"))).to_have_count(2)

    page.get_by_role("searchbox", name="Search twins").press_sequentially("explains")

    expect(page.get_by_role("listitem").filter(has=page.locator("h2"))).to_have_count(1)
    expect(page.get_by_role("searchbox", name="Search twins")).to_be_focused()


def test_a_conversation_that_is_begun_offline_waits_where_it_is(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = context.new_page()
    page.goto("/twins/ada")
    context.set_offline(True)
    say(page, "from a tunnel")
    expect(page.locator("#notices")).to_have_text(OFFLINE)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("from a tunnel")

    context.set_offline(False)
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Welcome")
    expect(turn(page, "complete")).to_contain_text("Welcome")
    assert upstream.sent_messages() == ["from a tunnel"]
    surprises.clear()  # the failed request itself
