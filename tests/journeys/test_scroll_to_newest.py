"""The button *Jump to latest*: visible only far above the newest turn, never over the composer."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.journeys.steps import message_box, open_long_reply, turn
from tests.journeys.window import scroll_up
from tests.support.upstream import Upstream


def newest(page: Page) -> Locator:
    return page.get_by_role("button", name="Jump to latest")


def ended_long_reply(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation whose complete reply is longer than the window."""
    page, call = open_long_reply(context, upstream)
    call.complete()
    expect(turn(page, "complete")).to_be_visible()
    return page


def test_newest_turn_button_scrolls_down_from_far_above(
    context: BrowserContext, upstream: Upstream
):
    page = ended_long_reply(context, upstream)
    last = turn(page, "complete").get_by_text("Paragraph 59.")
    down = newest(page)
    expect(down).to_be_hidden()
    scroll_up(page, 100)
    expect(down).to_be_hidden()
    scroll_up(page, 1_500)
    expect(down).to_be_visible()
    expect(down).not_to_contain_text("New messages", use_inner_text=True)
    down.click()

    expect(last).to_be_in_viewport()
    expect(down).to_be_hidden()
    page.reload()
    expect(last).to_be_in_viewport()
    scroll_up(page, 1_500)
    expect(down).to_be_visible()

    # In a low window the button appears later. It stays above a tall composer.
    page.set_viewport_size({"width": 1_000, "height": 500})
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    scroll_up(page, 1_600)
    expect(down).to_be_hidden()
    scroll_up(page, 400)
    expect(down).to_be_visible()
    message_box(page).fill("line\n" * 4)
    page.evaluate("scrollTo(0, 100)")
    above, below = down.bounding_box(), page.locator(".composer form").bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"] + 1
    message_box(page).fill("")

    # The Tab key skips the button, and the button is not printed.
    message_box(page).evaluate("box => box.focus({ preventScroll: true })")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("link", name="Copy link")).to_be_focused()
    page.emulate_media(media="print")
    expect(page.locator(".newest-bar")).to_have_css("display", "none")
