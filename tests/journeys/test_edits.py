"""A message that is edited comes as a copy: what was typed, and what was said, stay."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun, box, say, text, turn
from tests.journeys.traffic import FORMS, Held
from tests.support.upstream import Upstream

ESCAPE_OF_AN_INPUT_METHOD = """(box) => box.dispatchEvent(new KeyboardEvent("keydown",
  { key: "Escape", isComposing: true, bubbles: true, cancelable: true }))"""


def test_draft_waits_while_a_message_is_edited(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box(page).fill("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("x" * 32_001)
    box(page).press("Enter")
    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("32,001 characters")
    surprises.clear()  # the refusal itself
    page.keyboard.press("Backspace")
    page.reload()
    expect(box(page)).to_have_value("x" * 32_000)
    assert box(page).evaluate(ESCAPE_OF_AN_INPUT_METHOD)  # nobody has prevented it
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    box(page).press("Escape")
    expect(box(page)).to_have_value("Draft")
    page.reload()
    expect(box(page)).to_have_value("Draft")


def test_edited_message_survives_a_reload_until_it_is_sent(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box(page).fill("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("Not sent")
    page.get_by_role("button", name="Cancel").click()
    expect(box(page)).to_have_value("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("Hello again")
    page.reload()
    expect(box(page)).to_have_value("Hello again")
    held = Held(page, FORMS)
    box(page).press("Enter")
    box(page).fill("Typed since")
    held.release()
    upstream.next_call().start_stream().complete("Again")
    expect(text(page, "complete", 1)).to_have_text("Again")
    assert upstream.sent_messages() == ["Hello", "Hello again"]

    expect(box(page)).to_have_value("Draft\n\nTyped since")
    page.reload()
    expect(box(page)).to_have_value("Draft\n\nTyped since")
    page.get_by_role("button", name="Edit").first.click()
    expect(box(page)).to_have_value("Hello")


def test_unsent_edit_is_back_when_its_message_is_edited_again(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    say(page, "Bye")
    upstream.next_call().start_stream().complete("Bye to you")
    expect(turn(page, "complete", 1)).to_be_visible()
    first, second = page.get_by_role("button", name="Edit").all()
    first.click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("Hello again")
    second.click()
    expect(box(page)).to_have_value("Bye")
    first.click()
    expect(box(page)).to_have_value("Hello again")
    box(page).fill("")
    page.reload()

    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(box(page)).to_have_value("")


def test_edit_that_fails_or_comes_late_does_not_disturb_a_message(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    edit = page.get_by_role("button", name="Edit").first
    page.route(re.compile("words_of"), lambda route: route.abort(), times=1)
    edit.click()
    expect(page.locator("#notices")).to_contain_text("cannot be reached")
    surprises.clear()  # the failed request itself
    held = Held(page, FORMS)
    say(page, "First")
    box(page).fill("Second")
    held.release()
    upstream.next_call().start_stream().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("Second")

    held = Held(page, FORMS)
    box(page).press("Enter")
    with page.expect_response(re.compile("words_of")):
        edit.click()
    held.release()
    upstream.next_call().start_stream().complete("Two")
    expect(text(page, "complete", 2)).to_have_text("Two")
    expect(box(page)).to_have_value("")
    assert upstream.sent_messages() == ["Hello", "First", "Second"]


def test_edit_that_is_over_does_not_come_back_with_the_page(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url.partition("?")[0]
    edited = page.get_by_role("button", name="Edit").get_attribute("value")
    for way in ("Cancel", "Send"):
        page.goto(f"{there}?words_of={edited}#message")  # as without scripts
        expect(box(page)).to_have_value("Hello")
        page.locator("#composer").get_by_text(way, exact=True).click()
        if way == "Send":
            upstream.next_call().start_stream().complete("Two")
            expect(turn(page, "complete", 1)).to_be_visible()
        expect(box(page)).to_have_value("")
        page.reload()
        expect(page.locator("#composer .note")).to_have_count(0)
        expect(box(page)).to_have_value("")
