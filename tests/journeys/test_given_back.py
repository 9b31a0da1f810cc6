"""Words that a page gives back, and what is typed over them, before them and after them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import (
    AFTER_PAINT,
    TOO_LONG,
    begun,
    box,
    refuse,
    say,
    say_too_early,
    talking,
    text,
    turn,
)
from tests.journeys.traffic import Held
from tests.support.upstream import TWINS, Upstream

SCRIPT = re.compile(r"/static/\w+/twindow\.en\.js$")


def refused(page: Page, surprises: Surprises) -> None:
    """Have words refused, and come back to the page."""
    there = page.url.partition("?")[0]
    refuse(page)
    surprises.clear()
    page.goto(there)
    expect(box(page)).to_have_value(TOO_LONG)


def test_what_is_typed_before_the_script_comes_is_newer_than_a_draft(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url.partition("?")[0]
    box(page).fill("an old half")
    page.goto("/help")
    held = Held(page, SCRIPT)
    page.goto(there, wait_until="commit")
    box(page).fill("typed early")
    held.release()
    expect(page.locator("html")).to_have_class("scripts")
    page.evaluate(AFTER_PAINT)
    expect(box(page)).to_have_value("typed early")
    page.reload()

    expect(box(page)).to_have_value("typed early")


def test_refused_message_stays_until_it_is_discarded(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    refused(page, surprises)
    edit, discard = (page.get_by_role("button", name=name) for name in ("Edit", "Discard"))
    turn_id = edit.get_attribute("value")
    edit.click()
    expect(box(page)).to_have_value("Hello")
    say(page, "Hello again")
    upstream.next_call().start_stream().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value(TOO_LONG)
    expect(discard).to_be_visible()

    page.goto(f"{page.url.partition('?')[0]}?words_of={turn_id}#message")
    page.get_by_role("button", name="Cancel").click()
    expect(box(page)).to_have_value(TOO_LONG)
    box(page).fill(f"{TOO_LONG} still")
    page.reload()
    expect(box(page)).to_have_value(f"{TOO_LONG} still")
    box(page).press("Enter")
    expect(page.locator("#form-error")).to_contain_text("too long")
    surprises.clear()
    page.reload()
    expect(box(page)).to_have_value(f"{TOO_LONG} still")
    discard.click()
    expect(discard).to_have_count(0)
    expect(box(page)).to_have_value("")


def test_draft_waits_until_a_refused_message_is_sent(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    refused(page, surprises)
    page.evaluate("sessionStorage.setItem(`draft ${location.pathname}`, '=an old half')")
    page.reload()
    expect(box(page)).to_have_value(TOO_LONG)
    say(page, "shorter")
    upstream.next_call().start_stream().complete("One")

    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("an old half")


def test_stop_is_the_only_button_while_a_reply_runs(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page, call = talking(context, upstream, "One")
    send = page.get_by_role("button", name="Send")
    page.get_by_role("button", name="Edit").last.click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(send).to_be_hidden()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    say_too_early(page, "too early")
    alert = page.locator("#composer").get_by_role("alert")
    expect(alert).to_contain_text("still replying")
    expect(box(page)).to_have_value("too early")
    expect(send).to_be_hidden()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()

    call.complete()
    expect(turn(page, "complete")).to_be_visible()
    expect(alert).to_have_count(0)
    expect(box(page)).to_have_value("too early")
    assert [line for line in surprises if "409" not in line] == []
    surprises.clear()


@pytest.mark.usefixtures("forgetful")
def test_an_edit_waits_beside_a_box_that_is_closed_and_the_draft_outlives_it(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box(page).fill("a draft")
    upstream.twins = TWINS[1:]
    page.request.get("/")
    page.get_by_role("button", name="Edit").click()
    expect(page.locator("#composer")).to_contain_text("not available any more")
    expect(box(page)).to_be_disabled()
    expect(box(page)).to_have_value("Hello")
    page.get_by_role("button", name="Cancel").click()

    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(box(page)).to_have_value("a draft")
