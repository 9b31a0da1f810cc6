"""Edits of earlier messages: an edit is a copy, so the draft and the earlier message stay."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import message_box, open_conversation, reply_text, send_message, turn
from tests.support.traffic import FORM_URL, DelayedRequest
from tests.support.upstream import TWINS, Upstream


def open_two_turns(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with two turns, and return the page."""
    page = open_conversation(context, upstream)
    send_message(page, "More")
    upstream.next_call().start_stream().complete("Fine")
    expect(turn(page, "complete", 1)).to_be_visible()
    return page


def test_edit_survives_a_reload_until_it_is_finished_and_the_draft_returns(
    context: BrowserContext, upstream: Upstream
):
    page = open_two_turns(context, upstream)
    announcer = page.locator("#announcer")
    message_box(page).fill("Draft")
    page.get_by_role("button", name="Edit").first.click()
    expect(message_box(page)).to_have_value("Hello")
    expect(message_box(page)).to_be_focused()
    expect(page.locator("#composer").get_by_text("your original message stays")).to_be_visible()
    expect(announcer).to_contain_text("Editing a copy.")
    message_box(page).fill("Not sent")
    page.get_by_role("button", name="Cancel").click()
    expect(message_box(page)).to_have_value("Draft")
    expect(announcer).to_contain_text("Draft restored.")
    page.get_by_role("button", name="Edit").first.click()
    expect(message_box(page)).to_have_value("Hello")
    message_box(page).fill("Hello again")
    page.reload()
    expect(message_box(page)).to_have_value("Hello again")
    held = DelayedRequest(page, FORM_URL)
    message_box(page).press("Enter")
    message_box(page).fill("Typed since")
    held.release()
    upstream.next_call().start_stream().complete("Again")
    expect(reply_text(page, "complete", 2)).to_have_text("Again")
    assert upstream.sent_messages() == ["Hello", "More", "Hello again"]

    expect(message_box(page)).to_have_value("Draft\n\nTyped since")
    expect(announcer).to_contain_text("Draft restored.")
    page.reload()
    expect(message_box(page)).to_have_value("Draft\n\nTyped since")

    edited = page.get_by_role("button", name="Edit").first.get_attribute("value")
    there = page.url.partition("?")[0].partition("#")[0]
    for way in ("Cancel", "Send"):
        page.goto("about:blank")
        page.goto(f"{there}?edit={edited}#message")  # the link used without JavaScript
        expect(message_box(page)).to_have_value("Hello")
        page.locator("#composer").get_by_text(way, exact=True).click()
        if way == "Send":
            upstream.next_call().start_stream().complete("Two")
            expect(turn(page, "complete", 3)).to_be_visible()
        expect(message_box(page)).to_have_value("Draft\n\nTyped since")
        page.reload()
        expect(page.locator("#composer .note")).to_have_count(0)
        expect(message_box(page)).to_have_value("Draft\n\nTyped since")


def test_failed_or_late_edit_does_not_disturb_another_message(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_two_turns(context, upstream)
    edit = page.get_by_role("button", name="Edit").first
    page.route(re.compile("edit="), lambda route: route.abort(), times=1)
    edit.click()
    expect(page.locator("#notices")).to_contain_text("reach the server")
    page_errors.clear()  # the browser logs failed requests
    edit.click()
    expect(message_box(page)).to_have_value("Hello")
    expect(page.locator("#notices")).to_be_empty()
    page.get_by_role("button", name="Cancel").click()
    expect(message_box(page)).to_have_value("")
    held = DelayedRequest(page, FORM_URL)
    send_message(page, "First")
    message_box(page).fill("Second")
    held.release()
    upstream.next_call().start_stream().complete("One")
    expect(reply_text(page, "complete", 2)).to_have_text("One")
    expect(message_box(page)).to_have_value("Second")

    held = DelayedRequest(page, FORM_URL)
    message_box(page).press("Enter")
    with page.expect_response(re.compile("edit=")):
        edit.click()
    held.release()
    upstream.next_call().start_stream().complete("Two")
    expect(reply_text(page, "complete", 3)).to_have_text("Two")
    expect(message_box(page)).to_have_value("")
    assert upstream.sent_messages() == ["Hello", "More", "First", "Second"]


@pytest.mark.usefixtures("uncached_twins")
def test_edit_in_a_disabled_composer_is_shown_and_keeps_the_draft(
    context: BrowserContext, upstream: Upstream
):
    page = open_two_turns(context, upstream)
    message_box(page).fill("a draft")
    upstream.twins = TWINS[1:]
    page.request.get("/")
    page.get_by_role("button", name="Edit").first.click()
    expect(page.locator("#composer")).to_contain_text("no longer available")
    expect(message_box(page)).to_be_disabled()
    expect(message_box(page)).to_have_value("Hello")
    page.get_by_role("button", name="Cancel").click()

    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(message_box(page)).to_have_value("a draft")
