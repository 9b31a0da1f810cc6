"""The countdown ends with the button "Try again", even without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import update

from tests.journeys.window import copy_cookies
from tests.support.page_steps import send_message, turn
from tests.support.traffic import wait_on_page
from tests.support.upstream import Upstream
from twindow.chat.schema import api_quotas
from twindow.web.container import Portal

HAND = "getComputedStyle(document.querySelector('.countdown__clock'), '::after')"
# Finish the animations that hide the countdown and show the button. The animation of the seconds
# repeats for ever and cannot be finished.
END_OF_WAIT = """document.getAnimations()
  .filter((each) => each.effect.getComputedTiming().endTime !== Infinity)
  .forEach((each) => each.finish())"""
# The delay of the animations with each of the classes that add up to the wait.
DELAYS = """() => Array.from({ length: 12 }, (_, power) => {
  const clock = document.querySelector(".countdown__clock");
  clock.closest(".countdown").className = `countdown s${2 ** power}`;
  return parseFloat(getComputedStyle(clock, "::after").animationDelay);
})"""


def open_rate_limited_conversation(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation whose first message the service rate-limits for nearly an hour."""
    page = context.new_page()
    page.goto("/twins/ada")
    send_message(page, "Hello")
    upstream.next_call().respond(429, {}, retry_after="3570")
    expect(turn(page, "failed").get_by_text("Try again in")).to_be_visible()
    return page


def retry_at_the_end_of_the_wait(page: Page, upstream: Upstream, portal: Portal) -> None:
    failed = turn(page, "failed")
    retry = failed.get_by_role("button", name="Try again")
    expect(retry).to_have_count(0)
    page.evaluate(END_OF_WAIT)
    expect(retry).to_be_visible()
    expect(failed.get_by_text("Try again in")).to_be_hidden()

    with portal.database.write() as connection:
        connection.execute(update(api_quotas).values(retry_at=0))
    retry.click()
    upstream.next_call().start_stream().complete("Hello to you")
    expect(turn(page, "complete")).to_contain_text("Hello to you")


@pytest.mark.fault("F49")
def test_refused_reply_also_blocks_the_open_message_box_and_keeps_its_text(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    send_message(page, "Hello")
    call = upstream.next_call()
    box, send = page.get_by_label("Message", exact=True), page.locator(".composer__send")
    expect(turn(page, "waiting")).to_be_visible()
    box.fill("My next words")
    call.respond(429, {}, retry_after="1830")

    expect(page.locator("#composer-status").get_by_text("Try again in")).to_be_visible()
    expect(send).to_be_hidden()
    expect(box).to_have_value("My next words")
    expect(box).to_be_focused()
    page.evaluate(END_OF_WAIT)
    expect(send).to_be_visible()


@pytest.mark.fault("F49")
def test_retry_appears_when_the_countdown_ends_with_and_without_javascript(
    context: BrowserContext,
    noscript_context: BrowserContext,
    phone: BrowserContext,
    upstream: Upstream,
    portal: Portal,
):
    without_script = open_rate_limited_conversation(noscript_context, upstream)
    retry_at_the_end_of_the_wait(without_script, upstream, portal)

    page = open_rate_limited_conversation(context, upstream)
    minutes, seconds = "--countdown-minutes", "--countdown-seconds"
    # The response with the turn links the style sheet of the countdown, which then loads.
    wait_on_page(page, lambda: page.evaluate(f"{HAND}.getPropertyValue('{minutes}')"))
    assert page.evaluate(f"{HAND}.getPropertyValue('{minutes}')") == "59"
    assert 0 <= int(page.evaluate(f"{HAND}.getPropertyValue('{seconds}')")) < 30

    copy_cookies(context, phone)
    small = phone.new_page()
    small.goto(page.url)
    expect(small.locator("#composer").get_by_text("Try again in")).to_be_visible()
    expect(small.get_by_text("Enter to send")).to_be_hidden()

    retry_at_the_end_of_the_wait(page, upstream, portal)


def test_each_class_of_a_countdown_adds_its_seconds(context: BrowserContext, upstream: Upstream):
    page = open_rate_limited_conversation(context, upstream)
    wait_on_page(page, lambda: page.evaluate(f"{HAND}.getPropertyValue('--countdown-minutes')"))

    assert page.evaluate(DELAYS) == [2**power - 3_600 for power in range(12)]
