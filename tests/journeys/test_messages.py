"""Messages with code, and long ones, which are collapsed."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.page_steps import (
    message_box,
    send_message,
    turn,
    wait_until_settled,
)
from tests.support.upstream import Upstream

LONG_MESSAGE = "\n".join(f"Line {number}" for number in range(1, 201))
LINES = "text => text.clientHeight / parseFloat(getComputedStyle(text).lineHeight)"


def open_message(context: BrowserContext, upstream: Upstream, text: str) -> Page:
    page = context.new_page()
    page.goto("/twins/ada")
    send_message(page, text)
    upstream.next_call().start_stream().complete("Hello")
    expect(turn(page, "complete")).to_be_visible()
    wait_until_settled(page)
    return page


def message_text(page: Page) -> Locator:
    return page.locator(".turn__content > [dir]")


def expect_lines(page: Page, count: int) -> None:
    assert round(message_text(page).evaluate(LINES)) == count


@pytest.mark.parametrize("browser_context", ["context", "noscript_context"])
def test_long_message_shows_twelve_lines_until_it_is_expanded_without_scrolling(
    browser_context: str, request: pytest.FixtureRequest, upstream: Upstream
):
    page = open_message(request.getfixturevalue(browser_context), upstream, LONG_MESSAGE)
    expect_lines(page, 12)

    before = page.evaluate("scrollY")
    # Do not use `click()`: it would scroll the page while it waits for the view transition.
    page.locator(".turn__more summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Show less")).to_be_visible()
    expect_lines(page, 200)
    wait_until_settled(page)
    assert page.evaluate("scrollY") == before

    page.get_by_text("Show less").click()
    expect(page.get_by_text("Show more")).to_be_visible()
    expect_lines(page, 12)

    page.emulate_media(media="print")
    expect_lines(page, 200)
    page.emulate_media(media="screen")
    page.goto(f"{page.url}#{page.locator('.turn').get_attribute('id')}")  # a link to the message
    expect_lines(page, 200)
    expect(page.get_by_text("Show more")).to_be_hidden()


def test_collapsed_code_does_not_lengthen_the_page_shows_the_focus_and_is_no_draft_again(
    context: BrowserContext, upstream: Upstream
):
    text = f"{LONG_MESSAGE}\n```\n{LONG_MESSAGE}\n```"
    page = open_message(context, upstream, text)
    end = page.locator(".composer").evaluate("end => scrollY + end.getBoundingClientRect().bottom")

    assert page.evaluate("document.scrollingElement.scrollHeight") <= end + 1
    page.locator(".code__copy").focus()
    expect(page.locator(".code__copy")).to_be_in_viewport(ratio=1)

    message_box(page).fill(text)  # the draft of a sent message is discarded
    page.reload()
    expect(page.locator(".turn__content .code__copy")).to_be_visible()
    expect(message_box(page)).to_have_value("")
