"""A wait that is counted down without script, and its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from blueprints.bundles import property_names
from tests.journeys.conftest import Surprises, open_context
from tests.journeys.steps import WAIT_MS, turn
from tests.support.upstream import Upstream


@pytest.mark.fault("F49")
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_retry_comes_back_by_itself_when_the_time_is_over(
    browser: Browser, url: str, upstream: Upstream, surprises: Surprises, scripts: bool
):
    for context in open_context(browser, url, surprises, scripts=scripts):
        page = context.new_page()
        page.goto("/twins/ada")
        page.get_by_role("textbox", name="Message").fill("Hello")
        page.get_by_role("button", name="Send").click()
        upstream.next_call().respond(429, {}, retry_after="6")
        failed = turn(page, "failed")

        expect(failed.get_by_text("Try again in")).to_be_visible()
        expect(failed.get_by_role("button", name="Retry")).to_have_count(0)
        expect(failed.get_by_role("button", name="Retry")).to_be_visible(timeout=WAIT_MS)
        expect(failed.get_by_text("Try again in")).to_be_hidden()
        failed.get_by_role("button", name="Retry").click()
        upstream.next_call().start_stream().complete("Hello to you")
        expect(turn(page, "complete")).to_contain_text("Hello to you")


@pytest.mark.fault("F49")
def test_a_phone_shows_the_wait_below_the_box(browser: Browser, url: str, upstream: Upstream):
    context = browser.new_context(base_url=url, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    upstream.next_call().respond(429, {}, retry_after="600")
    expect(turn(page, "failed")).to_be_visible()
    page.reload()

    expect(page.locator("#composer").get_by_text("Try again in")).to_be_visible()
    expect(page.get_by_text("Enter sends")).to_be_hidden()
    context.close()


@pytest.mark.fault("F49")
def test_the_hands_of_the_countdown_show_what_is_left(
    browser: Browser, url: str, upstream: Upstream, surprises: Surprises
):
    for context in open_context(browser, url, surprises, scripts=True):
        page = context.new_page()
        page.goto("/twins/ada")
        page.get_by_role("textbox", name="Message").fill("Hello")
        page.get_by_role("button", name="Send").click()
        upstream.next_call().respond(429, {}, retry_after="1830")
        expect(turn(page, "failed")).to_be_visible()

        hand = "getComputedStyle(document.querySelector('.until__count'), '::after')"
        minutes, seconds = (property_names()[f"--left-{name}"] for name in ("minutes", "seconds"))
        assert page.evaluate(f"{hand}.getPropertyValue('{minutes}')") == "30"
        assert 0 <= int(page.evaluate(f"{hand}.getPropertyValue('{seconds}')")) < 30
