"""Words that a page gives back, and what is typed over them, before them and after them."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises, begun, turn
from tests.journeys.steps import box, say, say_too_early, talking, text
from tests.upstream import Upstream

LONG = "too long " * 4_000
AFTER_PAINT = """() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(() => setTimeout(done)))))"""
SCRIPT = re.compile(r"/static/\w+/twindow\.en\.js$")


def refused(page: Page, surprises: Surprises) -> None:
    """Have words refused as if scripts were late, and come back to the page."""
    there = page.url.partition("?")[0]
    box(page).fill(LONG)
    with page.expect_navigation():
        page.evaluate("document.querySelector('.composer form').submit()")
    surprises.clear()
    page.goto(there)
    expect(box(page)).to_have_value(LONG)


def test_what_is_typed_before_the_script_comes_is_newer_than_a_draft(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url.partition("?")[0]
    box(page).fill("an old half")
    page.goto("/help")
    held = []
    page.route(SCRIPT, lambda route: held.append(route))
    page.goto(there, wait_until="commit")
    box(page).fill("typed early")
    held[0].continue_()
    expect(page.locator("html")).to_have_class("scripts")
    page.evaluate(AFTER_PAINT)
    expect(box(page)).to_have_value("typed early")
    page.unroute(SCRIPT)
    page.reload()

    expect(box(page)).to_have_value("typed early")


def test_refused_words_are_discarded_with_what_was_typed_over_them(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    refused(page, surprises)
    box(page).fill("shorter")
    page.reload()
    expect(box(page)).to_have_value("shorter")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)

    expect(box(page)).to_have_value("")


def test_an_older_draft_waits_for_refused_words_to_be_sent(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    refused(page, surprises)
    page.evaluate("sessionStorage.setItem(`draft ${location.pathname}`, '=an old half')")
    page.reload()
    expect(box(page)).to_have_value(LONG)
    say(page, "shorter")
    upstream.next_call().begin().complete("One")

    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("an old half")


def test_refused_words_are_back_when_an_edited_message_is_sent(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    refused(page, surprises)
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    say(page, "Hello again")
    upstream.next_call().begin().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")

    expect(box(page)).to_have_value(LONG)
    expect(page.get_by_role("button", name="Discard")).to_be_visible()


def test_while_a_reply_runs_there_is_one_button_whatever_is_in_the_box(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page, call = talking(context, upstream, "One")
    send = page.get_by_role("button", name="Send")
    page.get_by_role("button", name="Edit").last.click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(send).to_be_hidden()
    page.get_by_role("button", name="Cancel").click()
    say_too_early(page, "too early")
    expect(page.locator("#refused")).to_be_visible()
    surprises.clear()

    expect(send).to_be_hidden()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    call.complete()
    expect(turn(page, "complete")).to_be_visible()


def test_the_way_back_down_stands_above_the_box_however_high_that_is(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    call.complete("\n\n".join(f"Paragraph {number}." for number in range(60)))
    expect(turn(page, "complete").get_by_text("Paragraph 59.")).to_be_in_viewport()
    box(page).fill("line\n" * 7)
    page.evaluate("scrollTo(0, 100)")
    down = page.get_by_role("button", name="To the newest turn")
    expect(down).to_be_visible()

    above, below = down.bounding_box(), page.locator(".composer form").bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"] + 1
