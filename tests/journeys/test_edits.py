"""A message that is edited comes as a copy: what was typed, and what was said, stay."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun, box, say, text, turn
from tests.journeys.traffic import FORMS, Held
from tests.support.upstream import Upstream


def test_a_draft_and_what_is_typed_after_an_edited_message_are_both_kept(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box(page).fill("old draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    held = Held(page, FORMS)
    box(page).press("Enter")
    box(page).fill("Typed since")
    held.release()
    upstream.next_call().start_stream().complete("Again")
    expect(text(page, "complete", 1)).to_have_text("Again")

    expect(box(page)).to_have_value("old draft\n\nTyped since")
    page.reload()
    expect(box(page)).to_have_value("old draft\n\nTyped since")


@pytest.mark.parametrize("way", ["Cancel", "Send"])
def test_what_became_of_edited_words_is_kept_over_a_reload_until_they_are_sent_or_put_away(
    context: BrowserContext, upstream: Upstream, way: str
):
    page = begun(context, upstream)
    box(page).fill("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("Hello again")
    page.reload()
    expect(box(page)).to_have_value("Hello again")
    page.get_by_role("button", name=way).click()
    if way == "Send":
        assert upstream.next_call().start_stream().body["content"] == "Hello again"
    expect(box(page)).to_have_value("Draft")
    page.reload()
    expect(box(page)).to_have_value("Draft")

    page.get_by_role("button", name="Edit").first.click()
    expect(box(page)).to_have_value("Hello")


def test_edited_words_that_are_refused_are_kept_and_can_be_put_away(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box(page).fill("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    box(page).fill("x" * 32_001)
    box(page).press("Enter")
    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("32,001 characters")
    page.keyboard.press("Backspace")
    page.reload()
    expect(box(page)).to_have_value("x" * 32_000)
    box(page).press("Escape")
    expect(box(page)).to_have_value("Draft")
    page.reload()
    expect(box(page)).to_have_value("Draft")
    surprises.clear()  # the refusal itself


def test_what_was_edited_is_there_again_when_it_is_edited_again(
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


def test_a_message_that_is_too_long_is_shortened_where_one_was(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("x" * 32_001)
    expect(box(page)).to_have_attribute("aria-invalid", "true")
    box(page).press("Enter")
    alert = page.locator("#composer").get_by_role("alert")
    expect(alert).to_contain_text("32,001 characters")
    expect(page).to_have_url(re.compile("/twins/ada$"))
    expect(box(page)).to_be_focused()
    page.keyboard.press("Backspace")
    expect(box(page)).to_have_value("x" * 32_000)
    expect(alert).to_have_count(0)
    expect(box(page)).not_to_have_attribute("aria-invalid", "true")
    assert all("413" in line for line in surprises)
    surprises.clear()

    box(page).fill("short")
    box(page).press("Enter")
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(box(page)).to_have_value("")


def test_an_edit_that_did_not_come_does_not_stand_in_the_way_of_the_next_message(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    page.route(re.compile("words_of"), lambda route: route.abort(), times=1)
    page.get_by_role("button", name="Edit").click()
    expect(page.locator("#notices")).to_contain_text("cannot be reached")
    held = Held(page, FORMS)
    say(page, "First")
    box(page).fill("Second")
    held.release()
    upstream.next_call().start_stream().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")

    expect(box(page)).to_have_value("Second")
    surprises.clear()  # the failed request itself


@pytest.mark.parametrize("way", ["Cancel", "Send"])
def test_an_edit_that_is_over_does_not_come_back_with_the_page(
    context: BrowserContext, upstream: Upstream, way: str
):
    page = begun(context, upstream)
    # As without scripts.
    edited = page.get_by_role("button", name="Edit").get_attribute("value")
    page.goto(f"{page.url}?words_of={edited}#message")
    expect(box(page)).to_have_value("Hello")
    page.locator("#composer").get_by_text(way, exact=True).click()
    if way == "Send":
        upstream.next_call().start_stream().complete("Two")
        expect(turn(page, "complete", 1)).to_be_visible()
    expect(box(page)).to_have_value("")
    page.reload()

    expect(page.locator("#composer .note")).to_have_count(0)
    expect(box(page)).to_have_value("")


def test_edit_that_is_pressed_while_a_message_is_on_its_way_does_not_lose_its_turn(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    held = Held(page, FORMS)
    box(page).fill("Second")
    box(page).press("Enter")
    with page.expect_response(re.compile("words_of")):
        page.get_by_role("button", name="Edit").click()
    held.release()
    upstream.next_call().start_stream().complete("Two")

    expect(text(page, "complete", 1)).to_have_text("Two")
    expect(box(page)).to_have_value("")
    assert upstream.sent_messages() == ["Hello", "Second"]
