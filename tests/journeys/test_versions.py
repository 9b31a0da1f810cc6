"""Versions of the newest turn: try again, edit in its place, and the arrows between them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.window import RECORD_ANNOUNCEMENTS
from tests.support.page_steps import (
    message_box,
    open_conversation,
    reply_text,
    send_message,
    turn,
)
from tests.support.traffic import FORM_URL, DelayedRequest
from tests.support.upstream import Upstream

LATER_MS = 1_000


def versions(page: Page) -> Locator:
    """Return the number of the shown version, and the arrows."""
    return page.get_by_role("navigation", name="Versions")


def edit_box(page: Page) -> Locator:
    """Return the text field in the place of the newest message."""
    return page.get_by_role("textbox", name="Edit message")


def lose_response(route: Route) -> None:
    """Let a request reach the portal, but not its response the page."""
    route.fetch()
    route.abort()


def try_again(page: Page, upstream: Upstream, reply: str) -> None:
    """Click Try again, and wait for another reply."""
    page.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete(reply)
    expect(reply_text(page, "complete")).to_have_text(reply)


def test_replies_can_be_tried_again_and_compared_and_one_of_them_continued(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.evaluate(RECORD_ANNOUNCEMENTS)
    first_url = page.url
    expect(versions(page)).to_have_count(0)
    for number, reply in enumerate(("Second", "Third"), 2):
        try_again(page, upstream, reply)
        expect(page.locator(".turn")).to_have_count(1)
        expect(versions(page)).to_contain_text(f"{number} of {number}")
        page.wait_for_function(
            "said => announcements.join().includes(said)", arg=f"{number} of {number}"
        )
        expect(message_box(page)).to_be_focused()
    versions(page).get_by_role("link", name="Previous version").click()
    expect(reply_text(page, "complete")).to_have_text("Second")
    expect(versions(page)).to_contain_text("2 of 3")
    expect(page.get_by_text("The last one is version 3.")).to_be_visible()
    arrow = versions(page).get_by_role("link", name="Previous version")
    expect(arrow).to_be_focused()
    # The ring around an arrow is for people who move by keyboard.
    assert not arrow.evaluate("arrow => arrow.matches(':focus-visible')")
    page.reload()
    expect(reply_text(page, "complete")).to_have_text("Second")
    page.go_back()
    expect(reply_text(page, "complete")).to_have_text("Third")
    page.go_forward()
    expect(reply_text(page, "complete")).to_have_text("Second")

    send_message(page, "Go on")
    upstream.next_call().start_stream().complete("Fourth")
    expect(reply_text(page, "complete", 1)).to_have_text("Fourth")
    page.goto(first_url)
    expect(page.locator(".turn .turn__reply")).to_have_text(["Second", "Fourth"])
    expect(versions(page)).to_contain_text("2 of 3")
    versions(page).get_by_role("link", name="Next version").click()
    expect(page.locator(".turn .turn__reply")).to_have_text(["Third", "Fourth"])


def test_newest_message_is_edited_in_its_place(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    message_box(page).fill("A draft")
    edit = page.get_by_role("button", name="Edit", exact=True)
    edit.click()
    expect(edit_box(page)).to_have_value("Hello")
    expect(edit_box(page)).to_be_focused()
    expect(message_box(page).last).to_have_value("A draft")
    page.keyboard.press("Escape")
    expect(edit_box(page)).to_have_count(0)
    expect(edit).to_be_focused()

    page.keyboard.press("Enter")
    edit_box(page).fill("Hello, how is the weather?")
    page.reload()
    edit.click()
    expect(edit_box(page)).to_have_value("Hello, how is the weather?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Really?")
    page.keyboard.press("Enter")
    upstream.next_call().start_stream().complete("Fine")
    expect(reply_text(page, "complete")).to_have_text("Fine")
    assert upstream.sent_messages() == ["Hello", "Hello, how is the weather?\nReally?"]
    expect(page.locator(".turn")).to_have_count(1)
    expect(versions(page)).to_contain_text("2 of 2")
    expect(message_box(page)).to_have_value("A draft")
    expect(page.get_by_role("heading", level=1)).to_have_text("How is the weather?")
    edit.click()
    expect(edit_box(page)).to_have_value("Hello, how is the weather?\nReally?")


@pytest.mark.parametrize("state", ["stopped", "failed", "interrupted"])
def test_reply_that_did_not_end_well_is_tried_again_in_its_place(
    context: BrowserContext, upstream: Upstream, state: str, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    message_box(page).fill("More")
    message_box(page).press("Enter")
    call = upstream.next_call()
    if state == "failed":
        call.respond(500, {})
    else:
        call.start_stream().delta("Half")
        expect(turn(page, "streaming")).to_contain_text("Half")
    if state == "stopped":
        page.get_by_role("button", name="Stop").click()
    elif state == "interrupted":
        call.close()
    expect(turn(page, state)).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete("Whole")

    expect(reply_text(page, "complete", 1)).to_have_text("Whole")
    expect(page.locator(".turn")).to_have_count(2)
    if state == "failed":
        expect(versions(page)).to_have_count(0)
    else:
        expect(versions(page)).to_contain_text("2 of 2")


def test_double_click_on_save_and_send_adds_one_version(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.clock.install()
    page.get_by_role("button", name="Edit", exact=True).click()
    edit_box(page).fill("Hello again")
    page.clock.fast_forward(LATER_MS)
    page.get_by_role("button", name="Save and send").dblclick()
    upstream.next_call().start_stream().complete("Hi again")

    expect(reply_text(page, "complete")).to_have_text("Hi again")
    expect(versions(page)).to_contain_text("2 of 2")
    assert upstream.sent_messages() == ["Hello", "Hello again"]


def test_version_made_from_an_earlier_one_is_the_one_that_goes_on(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    address = page.url
    try_again(page, upstream, "Second")
    versions(page).get_by_role("link", name="Previous version").click()
    expect(versions(page)).to_contain_text("1 of 2")
    expect(versions(page).get_by_role("link", name="Next version")).to_be_focused()
    page.get_by_role("button", name="Edit", exact=True).click()
    edit_box(page).fill("Hello again")
    edit_box(page).press("Enter")
    upstream.next_call().start_stream().complete("Third")
    expect(reply_text(page, "complete")).to_have_text("Third")
    expect(page).to_have_url(address)  # a reload shows the new version, too

    send_message(page, "Go on")
    upstream.next_call().start_stream().complete("Fourth")
    expect(reply_text(page, "complete", 1)).to_have_text("Fourth")
    page.goto(address)
    expect(page.locator(".turn .turn__reply")).to_have_text(["Third", "Fourth"])
    versions(page).get_by_role("link", name="Previous version").click()
    expect(page.get_by_text("The conversation went on from another version.")).to_be_visible()


def test_double_click_on_edit_opens_one_box_and_sends_nothing(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1_000)
    edit = page.get_by_role("button", name="Edit", exact=True)
    box = edit.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(x, y)
    expect(edit_box(page)).to_be_visible()
    page.get_by_role("button", name="Save and send").click()
    expect(edit_box(page)).to_have_count(1)
    page.keyboard.press("Escape")
    page.mouse.dblclick(x, y)

    expect(edit_box(page)).to_have_count(1)
    assert upstream.sent_messages() == ["Hello"]


def test_edit_that_another_message_has_overtaken_is_sent_at_the_end(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    page.get_by_role("button", name="Edit", exact=True).click()
    edit_box(page).fill("Hello, Ada")
    page.locator("#message").fill("More")
    page.locator("#message").press("Enter")
    upstream.next_call().start_stream().complete("Much more")
    expect(reply_text(page, "complete", 1)).to_have_text("Much more")
    edit_box(page).press("Enter")
    expect(page.locator("#notices")).to_contain_text("The conversation has gone on")
    edit_box(page).press("Enter")
    upstream.next_call().start_stream().complete("Hello to you, too")

    expect(reply_text(page, "complete", 2)).to_have_text("Hello to you, too")
    expect(edit_box(page)).to_have_count(0)
    expect(versions(page)).to_have_count(0)
    page_errors.clear()


def test_edit_whose_response_is_lost_is_sent_once(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    page.get_by_role("button", name="Edit", exact=True).click()
    edit_box(page).fill("Mine")
    page.route(FORM_URL, lose_response, times=1)
    edit_box(page).press("Enter")
    expect(page.locator("#notices")).not_to_be_empty()
    upstream.next_call().start_stream().complete("Yours")
    with page.expect_response(re.compile("seen=")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(reply_text(page, "complete")).to_have_text("Yours")
    edit_box(page).press("Enter")

    expect(edit_box(page)).to_have_count(0)
    assert upstream.sent_messages() == ["Hello", "Mine"]
    page_errors.clear()


def test_message_from_an_earlier_version_waits_for_the_running_reply(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    try_again(page, upstream, "Second")
    page.get_by_role("button", name="Try again").click()
    call = upstream.next_call().start_stream()
    call.delta("Third")
    expect(turn(page, "streaming")).to_be_visible()
    versions(page).get_by_role("link", name="Previous version").click()
    expect(versions(page)).to_contain_text("2 of 3")
    send_message(page, "Go on")

    expect(page.locator("#form-error")).to_contain_text("still replying")
    expect(message_box(page)).to_have_value("Go on")
    page_errors.clear()
    call.complete("Third")


def test_second_tab_shows_the_new_version_and_cannot_replace_the_old_one(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    other = context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Edit", exact=True).click()
    edit_box(other).fill("Mine")
    held = DelayedRequest(other, FORM_URL)
    edit_box(other).press("Enter")
    try_again(page, upstream, "Second")
    held.release()

    expect(other.locator("#notices")).to_contain_text("The conversation has gone on")
    expect(reply_text(other, "complete")).to_have_text("Second")
    expect(versions(other)).to_contain_text("2 of 2")
    page_errors.clear()
    expect(edit_box(other)).to_have_value("Mine")
    edit_box(other).press("Enter")
    upstream.next_call().start_stream().complete("Third")
    expect(reply_text(other, "complete")).to_have_text("Third")
    expect(versions(other)).to_contain_text("3 of 3")


def test_versions_work_without_scripts(noscript_context: BrowserContext, upstream: Upstream):
    page = open_conversation(noscript_context, upstream)
    page.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete("Second")
    expect(reply_text(page, "complete")).to_have_text("Second", use_inner_text=True)
    page.get_by_role("link", name="Previous version").click()
    expect(reply_text(page, "complete")).to_have_text("Hello to you", use_inner_text=True)
    expect(versions(page)).to_contain_text("1 of 2")
    page.get_by_role("button", name="Edit", exact=True).click()
    message_box(page).fill("Hello again")
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Third")
    expect(reply_text(page, "complete")).to_have_text("Third", use_inner_text=True)

    expect(versions(page)).to_contain_text("3 of 3")
    assert upstream.sent_messages() == ["Hello", "Hello", "Hello again"]


def test_message_goes_to_another_twin(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    page.goto("/")
    message_box(page).fill("A draft")
    page.go_back()
    page.get_by_role("link", name="Ask another twin").click()
    picker = page.get_by_role("combobox", name="Twin")
    expect(picker).to_be_focused()
    expect(message_box(page)).to_have_value("Hello")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/$"))
    expect(message_box(page)).to_have_value("A draft")

    page.go_back()
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("From another twin")
    expect(reply_text(page, "complete")).to_have_text("From another twin")
    assert upstream.sent_messages() == ["Hello", "Hello"]
