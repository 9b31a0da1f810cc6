"""Text in the message box is kept: before scripts load, after a rejection, during an edit."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.steps import (
    TOO_LONG_MESSAGE,
    WAIT_FOR_PAINT,
    message_box,
    open_conversation,
    open_streaming_conversation,
    reply_text,
    send_message,
    send_while_replying,
    turn,
)
from tests.journeys.traffic import DelayedRequest
from tests.support.upstream import TWINS, Upstream

ENTRY = "**/main.js"


def test_text_typed_before_the_script_loads_wins_over_a_draft(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    there = page.url.partition("?")[0]
    message_box(page).fill("an old half")
    page.goto("/help")
    held = DelayedRequest(page, ENTRY)
    page.goto(there, wait_until="commit")
    message_box(page).fill("typed early")
    held.release()
    expect(page.locator("html")).to_have_class("scripts")
    page.evaluate(WAIT_FOR_PAINT)
    expect(message_box(page)).to_have_value("typed early")
    page.reload()

    expect(message_box(page)).to_have_value("typed early")


def test_text_that_replaced_a_rejected_message_is_restored_after_an_edit_is_sent(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    send_message(page, TOO_LONG_MESSAGE)
    expect(page.locator("#form-error")).to_contain_text("too long")
    page_errors.clear()
    message_box(page).fill("typed over")
    page.get_by_role("button", name="Edit").click()
    expect(message_box(page)).to_have_value("Hello")
    send_message(page, "Hello again")
    upstream.next_call().start_stream().complete("One")

    expect(reply_text(page, "complete", 1)).to_have_text("One")
    expect(message_box(page)).to_have_value("typed over")


def test_stop_is_the_only_composer_button_while_a_reply_runs(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page, call = open_streaming_conversation(context, upstream, "One")
    send = page.get_by_role("button", name="Send")
    page.get_by_role("button", name="Edit").last.click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(send).to_be_hidden()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    send_while_replying(page, "too early")
    alert = page.locator("#composer").get_by_role("alert")
    expect(alert).to_contain_text("still replying")
    expect(message_box(page)).to_have_value("too early")
    expect(send).to_be_hidden()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()

    call.complete()
    expect(turn(page, "complete")).to_be_visible()
    expect(alert).to_have_count(0)
    expect(message_box(page)).to_have_value("too early")
    assert [line for line in page_errors if "409" not in line] == []
    page_errors.clear()


@pytest.mark.usefixtures("uncached_twins")
def test_edit_in_a_disabled_composer_is_shown_and_keeps_the_draft(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    message_box(page).fill("a draft")
    upstream.twins = TWINS[1:]
    page.request.get("/")
    page.get_by_role("button", name="Edit").click()
    expect(page.locator("#composer")).to_contain_text("no longer available")
    expect(message_box(page)).to_be_disabled()
    expect(message_box(page)).to_have_value("Hello")
    page.get_by_role("button", name="Cancel").click()

    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(message_box(page)).to_have_value("a draft")
