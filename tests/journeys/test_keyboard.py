"""Use of all features with the keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page_steps import turn, wait_until_settled
from tests.support.upstream import Upstream

MOST_STOPS = 40
WHERE = """() => { const e = document.activeElement;
  if (e === document.body) return "";
  return [e.ariaLabel, e.innerText, e.labels?.[0]?.innerText].join("|"); }"""


def tab_to(page: Page, words: str) -> None:
    """Press Tab until the focused element has this text."""
    for _ in range(MOST_STOPS):
        if words in page.evaluate(WHERE):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {words!r}")


def press(page: Page, words: str) -> None:
    tab_to(page, words)
    page.keyboard.press("Enter")


def open_by(page: Page, link: str) -> None:
    press(page, link)
    expect(page.get_by_role("heading", level=1)).to_contain_text(link)
    page.wait_for_load_state()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("/")
    return page


def test_message_can_be_sent_stopped_and_asked_again_by_keyboard(page: Page, upstream: Upstream):
    page.goto("/search")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("explains")
    expect(page.locator(".search-view__links li")).to_have_count(2)
    open_by(page, "Ada")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    tab_to(page, "Message")
    page.keyboard.type("Hello")
    page.keyboard.press("Enter")
    expect(turn(page, "waiting")).to_be_visible()
    call = upstream.next_call().start_stream()
    call.delta("For ever")
    expect(turn(page, "streaming")).to_be_visible()

    press(page, "Stop")
    expect(turn(page, "stopped")).to_be_visible()
    press(page, "Try again")
    upstream.next_call().start_stream().complete("Not for ever")
    expect(turn(page, "complete")).to_be_visible()
    tab_to(page, "Message")
    page.keyboard.type("Thank you")
    press(page, "Send")
    upstream.next_call().start_stream().complete("Gladly")
    expect(turn(page, "complete", 1)).to_be_visible()


def test_api_key_and_preferences_can_be_saved_by_keyboard(page: Page, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_shown_once"}}
    press(page, "More pages")
    open_by(page, "Help")
    press(page, "Create an API key")
    expect(page.get_by_role("heading", level=1)).to_have_text("API keys")
    page.wait_for_load_state()
    tab_to(page, "Name")
    page.keyboard.type("laptop")
    tab_to(page, "Read only")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Full access")).to_be_checked()
    tab_to(page, "JWT")
    page.keyboard.type("aaa.bbb.ccc")
    press(page, "Create key")
    expect(page.get_by_text("tw_shown_once", exact=True)).to_be_visible()
    wait_until_settled(page)
    tab_to(page, "Copy")

    page.goto("/")
    press(page, "More pages")
    open_by(page, "Preferences")
    tab_to(page, "Language")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.get_by_role("radio", name="Light")).to_be_focused()
    expect(page.get_by_role("group", name="Theme").get_by_role("status")).to_have_text("Saved.")
    page.keyboard.press("ArrowRight")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    tab_to(page, "Language")
    page.keyboard.type("Deutsch")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    press(page, "Save")
    expect(page.locator("html")).to_have_attribute("lang", "de")
