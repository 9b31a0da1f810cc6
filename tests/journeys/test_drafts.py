"""Drafts and messages that are pending or rejected: no text is lost."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.page_steps import (
    message_box,
    open_conversation,
    reply_text,
    send_message,
    turn,
    wait_until_settled,
)
from tests.support.traffic import FORM_URL, DelayedRequest
from tests.support.upstream import Upstream

OFFLINE = "You're offline. Your text is saved. Try again."

# Wait up to a hundred animation frames until no draft is stored; return the number of drafts.
KEPT_IN_THE_END = """() => new Promise((done) => {
  const countDrafts = () => localStorage.length;
  const look = (frames) => {
    if (countDrafts() && frames) requestAnimationFrame(() => look(frames - 1));
    else done(countDrafts());
  };
  look(100);
})"""

# This script delays animation frames on the page of a twin. When the page is left, the frames and
# their timeouts run at once.
PAINTED_LATE = """if (location.pathname.startsWith("/twins/")) {
  const late = [];
  requestAnimationFrame = (act) => late.push(act);
  addEventListener("beforeunload", () => {
    setTimeout = (act) => act();
    while (late.length) late.shift()();
  });
}"""


def test_message_over_the_length_limit_is_counted_and_rejected(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = context.new_page()
    page.goto("/twins/ada")
    counter = page.locator(".counter")
    for words, told in (
        ("x" * 20, ""),
        ("x" * 31_999, "Characters left: 1"),
        ("x" * 32_001, "Characters over the limit: 1"),
        ("x" * 32_000, "Characters left: 0"),
        ("x" * 32_001, "Characters over the limit: 1"),
    ):
        message_box(page).fill(words)
        expect(counter).to_have_text(told)
        expect(counter).to_have_css("font-weight", "600" if "over" in told else "400")
    page.reload()
    expect(counter).to_have_text("Characters over the limit: 1")
    expect(message_box(page)).to_have_attribute("aria-invalid", "true")

    message_box(page).press("Enter")
    alert = page.locator("#composer").get_by_role("alert")
    expect(alert).to_contain_text("32,001 of 32,000 characters")
    expect(page).to_have_url(re.compile("/twins/ada$"))
    expect(message_box(page)).to_be_focused()
    page.keyboard.press("Backspace")
    expect(message_box(page)).to_have_value("x" * 32_000)
    expect(alert).to_have_count(0)
    expect(message_box(page)).not_to_have_attribute("aria-invalid", "true")
    assert all("413" in line for line in page_errors)
    page_errors.clear()

    send_message(page, "short")
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete")).to_be_visible()
    assert upstream.sent_messages() == ["short"]
    wait_until_settled(page)  # the script of the page deletes the sent draft
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(message_box(page)).to_have_value("")


def test_offline_first_message_and_text_typed_during_sending_are_kept(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = context.new_page()
    page.goto("/twins/ada")
    context.set_offline(True)
    send_message(page, "Hello")
    expect(page.locator("#notices")).to_have_text(OFFLINE)
    expect(page.locator("#notices")).to_be_in_viewport()
    expect(message_box(page)).to_have_value("Hello")
    page_errors.clear()  # the browser logs failed requests

    context.set_offline(False)
    held = DelayedRequest(page, FORM_URL)
    message_box(page).press("Enter")
    expect(message_box(page)).to_have_css("opacity", "0.5")
    message_box(page).press_sequentially(" and more")
    held.release()
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete")).to_be_visible()
    expect(message_box(page)).to_have_value("and more")
    assert upstream.sent_messages() == ["Hello"]


def test_message_sent_before_the_first_paint_leaves_no_draft(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.add_init_script(PAINTED_LATE)
    page.goto("/twins/ada")
    send_message(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")

    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")
    assert page.evaluate(KEPT_IN_THE_END) == 0


def test_draft_is_kept_when_a_suggested_message_is_sent_or_rejected(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    upstream.answers["/api/v1/conversations"] = 429, {"error": "wait"}
    page = context.new_page()
    page.goto("/twins/ada")
    message_box(page).fill("half a thought")
    starter = page.get_by_role("button", name="How does a bicycle stay upright?", exact=True)
    starter.click()
    expect(turn(page, "failed")).to_be_visible()
    page.goto("/twins/ada")
    expect(message_box(page)).to_have_value("half a thought")

    starter.click()
    expect(page.locator("#notices")).to_contain_text("too many requests")
    expect(message_box(page)).to_have_value("half a thought")
    page_errors.clear()  # the browser logs rejected requests


def test_each_window_keeps_its_own_draft(context: BrowserContext, upstream: Upstream):
    first = open_conversation(context, upstream)
    second, third, fourth = (context.new_page() for _ in range(3))
    second.goto(first.url)
    message_box(first).fill("in the first")
    message_box(second).fill("B")
    for page, words in ((first, "in the first"), (second, "B")):
        page.reload()
        expect(message_box(page)).to_have_value(words)
    third.goto(first.url)
    expect(message_box(third)).to_have_value("B")
    message_box(first).fill("")
    first.reload()
    expect(first.locator(".counter")).to_have_text("")
    expect(message_box(first)).to_have_value("")

    message_box(first).fill("shared words")
    fourth.goto(first.url)
    expect(message_box(fourth)).to_have_value("shared words")
    message_box(fourth).press("Enter")
    upstream.next_call().start_stream().complete("Two")
    expect(reply_text(first, "complete", 1)).to_have_text("Two")
    expect(message_box(first)).to_have_value("")
    first.reload()
    expect(message_box(first)).to_have_value("")


def test_draft_of_the_first_page_keeps_its_twin(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    conversation = page.url
    twin = page.get_by_role("combobox", name="Twin")
    starter = page.get_by_role("button", name="How does a bicycle stay upright?", exact=True)
    page.goto("/")
    expect(starter).to_be_visible()
    for leave in (
        lambda: page.reload(),
        lambda: (page.goto("/help"), page.go_back()),
        lambda: (page.goto(conversation), page.locator("#new-conversation").click()),
    ):
        page.goto("/")
        expect(message_box(page)).to_have_value("")
        twin.select_option("Odd")
        expect(starter).to_have_count(0)
        message_box(page).fill("Hello, Odd")
        leave()
        expect(message_box(page)).to_have_value("Hello, Odd")
        expect(twin.locator(":checked")).to_have_text("Odd")
        expect(page.locator("#chosen-avatar")).to_have_text("O")
        send_message(page, "Hello, Odd")
        upstream.next_call().start_stream().complete("Odd, hello")
        expect(page.locator("main header")).to_contain_text("with Odd")
        wait_until_settled(page)


def test_draft_is_deleted_and_restored_with_its_conversation_and_text_typed_early_wins(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    address = page.url.partition("?")[0]
    message_box(page).fill("half a thought")
    page.get_by_role("button", name="Conversation menu").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".note").first).to_contain_text("” deleted")
    assert page.evaluate(KEPT_IN_THE_END) == 0
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".note").first).to_contain_text("restored")
    page.goto(address)
    expect(message_box(page)).to_have_value("half a thought")

    page.goto("/help")
    held = DelayedRequest(page, "**/main.js")
    page.goto(address, wait_until="commit")
    message_box(page).fill("typed early")
    held.release()
    expect(page.locator("html")).to_have_class("scripts")
    page.evaluate(WAIT_FOR_PAINT)
    expect(message_box(page)).to_have_value("typed early")
    page.reload()
    expect(message_box(page)).to_have_value("typed early")
