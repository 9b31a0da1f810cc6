"""Words that were refused are not lost without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import TOO_LONG, begun, refuse, say, turn
from tests.support.upstream import Call, Upstream


def refused(plain: BrowserContext, upstream: Upstream) -> tuple[Page, Page, Call]:
    """Write in a second window while a reply runs in the first."""
    first = begun(plain, upstream)
    second = plain.new_page()
    second.goto(first.url.partition("?")[0])
    say(first, "long")
    call = upstream.next_call().start_stream()
    say(second, "too early")
    return first, second, call


def test_words_that_came_too_early_are_sent_from_where_they_are(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    first, second, call = refused(plain, upstream)
    expect(second.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(second.get_by_role("textbox", name="Message")).to_have_value("too early")
    expect(second.get_by_role("button", name="Stop")).to_be_visible()
    call.complete("One")
    expect(turn(first, "complete", 1)).to_be_visible()

    second.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Two")
    expect(turn(second, "complete", 2)).to_contain_text("Two")
    assert upstream.sent_messages() == ["Hello", "long", "too early"]
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_refused_words_are_there_whatever_one_does_next(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    _, second, _ = refused(plain, upstream)
    second.get_by_role("button", name="Stop").click()
    expect(second.get_by_role("textbox", name="Message")).to_have_value("too early")

    second.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("Two")
    expect(turn(second, "complete", 1)).to_contain_text("Two")
    expect(second.get_by_role("textbox", name="Message")).to_have_value("")
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_refused_words_outlive_an_edited_message_that_is_sent_meanwhile(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    first, _, call = refused(plain, upstream)
    call.complete("One")
    expect(turn(first, "complete", 1)).to_be_visible()

    first.locator(".turn").first.get_by_role("button", name="Edit").click()
    say(first, "Hello again")
    upstream.next_call().start_stream().complete("Two")
    expect(turn(first, "complete", 2)).to_contain_text("Two")
    expect(first.get_by_role("textbox", name="Message")).to_have_value("too early")
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_first_words_that_were_refused_are_there_when_one_comes_back(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, TOO_LONG)
    expect(page.locator("#refused")).to_contain_text("too long")
    surprises.clear()
    page.get_by_role("link", name="Conversations", exact=True).click()
    page.goto("/twins/ada")
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value(TOO_LONG)

    message.fill("Short.")
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete")).to_contain_text("One")
    page.goto("/twins/ada")
    expect(message).to_have_value("")


@pytest.mark.parametrize("place", ["first words", "later words"])
def test_refused_words_can_be_put_away(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises, place: str
):
    page = plain.new_page() if place == "first words" else begun(plain, upstream)
    there = "/twins/ada" if place == "first words" else page.url.partition("?")[0]
    page.goto(there)
    say(page, TOO_LONG)
    page.goto(there)
    expect(page.get_by_text("These words were not sent.")).to_be_visible()
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value(TOO_LONG)
    page.get_by_role("button", name="Discard").click()
    expect(message).to_have_value("")
    page.reload()

    expect(message).to_have_value("")
    surprises.clear()  # the refusal itself


def test_refused_words_can_be_put_away_after_others_were_edited(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    there = page.url.partition("?")[0]
    refuse(page)
    surprises.clear()  # the refusal itself
    edited = page.get_by_role("button", name="Edit").get_attribute("value")
    page.goto(f"{there}?words_of={edited}#message")
    page.get_by_role("button", name="Cancel").click()
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value(TOO_LONG)
    message.fill(f"{TOO_LONG} and more")
    page.reload()
    expect(message).to_have_value(f"{TOO_LONG} and more")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)
    expect(message).to_have_value("")


def test_edited_words_that_were_refused_can_be_put_away(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(plain, upstream)
    there = page.url.partition("?")[0]
    page.get_by_role("button", name="Edit").click()
    say(page, TOO_LONG)
    page.goto(there)
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_text("These words were not sent.")).to_be_visible()
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value(TOO_LONG)
    page.get_by_role("button", name="Discard").click()
    expect(message).to_have_value("")
    page.get_by_role("button", name="Edit").click()

    expect(message).to_have_value("Hello")
    surprises.clear()  # the refusal itself


def test_refused_words_wait_while_another_window_sends_its_own(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(plain, upstream)
    there = page.url.partition("?")[0]
    page.goto(there)
    other = plain.new_page()
    other.goto(there)
    say(other, TOO_LONG)
    say(page, "Short.")
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete", 1)).to_contain_text("One")
    other.goto(there)

    expect(other.get_by_role("textbox", name="Message")).to_have_value(TOO_LONG)
    expect(other.get_by_role("button", name="Discard")).to_be_visible()
    surprises.clear()  # the refusal itself


def test_edited_words_that_were_refused_are_sent_once(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(plain, upstream)
    page.get_by_role("button", name="Edit").click()
    say(page, TOO_LONG)
    expect(page.locator("#refused")).to_contain_text("too long")
    surprises.clear()
    page.go_back()
    page.reload()
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value(TOO_LONG)
    say(page, "Short now.")
    upstream.next_call().start_stream().complete("Two")
    expect(turn(page, "complete", 1)).to_contain_text("Two")

    expect(message).to_have_value("")
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)
    page.locator(".turn").first.get_by_role("button", name="Edit").click()
    expect(message).to_have_value("Hello")


def test_what_a_button_repeats_takes_the_place_of_no_refused_words(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    old = begun(plain, upstream)
    first = plain.new_page()
    first.goto(old.url.partition("?")[0])
    say(first, TOO_LONG)
    first.goto(old.url.partition("?")[0])
    second = plain.new_page()
    second.goto(old.url.partition("?")[0])
    second.get_by_role("button", name="Ask again").click()
    call = upstream.next_call().start_stream()
    old.get_by_role("button", name="Ask again").click()
    expect(old.locator("#refused")).to_contain_text("still replying")
    expect(old.get_by_role("textbox", name="Message")).to_have_value(TOO_LONG)
    surprises.clear()
    call.complete("One")
    expect(turn(second, "complete", 1)).to_be_visible()
    expect(second.get_by_role("textbox", name="Message")).to_have_value(TOO_LONG)


def test_blanks_are_nothing_to_keep(plain: BrowserContext, surprises: Surprises):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, "   ")
    expect(page.locator("#refused")).to_contain_text("nothing to send")
    surprises.clear()
    page.goto("/twins/ada/conversations")

    expect(page).to_have_url(re.compile("/twins/ada$"))
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)


@pytest.mark.parametrize("size", [(360, 640), (1280, 479), (640, 320)])
def test_why_words_were_refused_is_in_sight(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises, size: tuple[int, int]
):
    page = begun(plain, upstream)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for there in ("/twins/ada", page.url.partition("?")[0]):
        page.goto(there)
        say(page, TOO_LONG)
        expect(page.locator("#refused")).to_be_in_viewport(ratio=0.9)
    surprises.clear()
