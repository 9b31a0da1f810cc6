"""The way back down to the newest turn: where one is away from it, and in nobody's way."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.steps import box, long_reply, talking, turn
from tests.journeys.window import step_up
from tests.support.upstream import Upstream


def reading(context: BrowserContext, upstream: Upstream) -> Page:
    """Have a reply that is longer than the window, and over."""
    page, call = long_reply(context, upstream)
    call.complete()
    expect(turn(page, "complete")).to_be_visible()
    return page


def test_whoever_reads_what_is_over_is_shown_the_way_back_down(
    context: BrowserContext, upstream: Upstream
):
    page = reading(context, upstream)
    last = turn(page, "complete").get_by_text("Paragraph 59.")
    down = page.get_by_role("button", name="To the newest turn")
    expect(down).to_be_hidden()
    step_up(page, 100)
    expect(down).to_be_hidden()
    step_up(page, 1_500)
    expect(down).to_be_visible()
    expect(down).not_to_contain_text("New text below", use_inner_text=True)
    down.click()

    expect(last).to_be_in_viewport()
    expect(down).to_be_hidden()
    page.reload()
    expect(last).to_be_in_viewport()
    step_up(page, 1_500)
    expect(down).to_be_visible()


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


def test_it_is_not_printed(context: BrowserContext, upstream: Upstream):
    page = reading(context, upstream)
    step_up(page, 1_500)
    expect(page.get_by_role("button", name="To the newest turn")).to_be_visible()
    page.emulate_media(media="print")

    expect(page.locator(".newest")).to_have_css("display", "none")


@pytest.mark.parametrize(("height", "by"), [(1_000, 900), (500, 1_800)])
def test_the_lower_the_window_the_later_it_comes(
    context: BrowserContext, upstream: Upstream, height: int, by: int
):
    page = reading(context, upstream)
    page.set_viewport_size({"width": 1_000, "height": height})
    expect(turn(page, "complete").get_by_text("Paragraph 59.")).to_be_in_viewport()
    down = page.get_by_role("button", name="To the newest turn")
    step_up(page, by - 200)
    expect(down).to_be_hidden()
    step_up(page, 400)
    expect(down).to_be_visible()


def test_it_is_no_stop_on_the_way_from_the_box(context: BrowserContext, upstream: Upstream):
    page = reading(context, upstream)
    step_up(page, 1_500)
    expect(page.get_by_role("button", name="To the newest turn")).to_be_visible()
    box(page).evaluate("box => box.focus({ preventScroll: true })")
    page.keyboard.press("Shift+Tab")

    expect(page.get_by_role("button", name="Ask again")).to_be_focused()
