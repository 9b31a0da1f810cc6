"""What is pressed twice, in two windows, or too much of: nothing is done that was not meant."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.journeys.conftest import Surprises, begun, turn
from tests.journeys.steps import FORMS, box, say, say_too_early, talking, text
from tests.upstream import Upstream

BETWEEN_MS = 300
LATER_MS = 600


@pytest.fixture
def page(context: BrowserContext, upstream: Upstream) -> Page:
    page = begun(context, upstream)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1_000)
    return page


def press(page: Page, name: str) -> tuple[float, float]:
    """Press a button of the composer with the mouse, and return where that was."""
    button = page.get_by_role("button", name=name)
    button.hover()
    place = button.bounding_box()
    assert place
    middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.click(*middle)
    return middle


def test_the_second_half_of_a_double_click_stops_nothing(page: Page, upstream: Upstream):
    box(page).fill("once")
    middle = press(page, "Send")
    call = upstream.next_call().begin()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)
    call.delta("Still here")
    page.clock.run_for(LATER_MS)
    expect(text(page)).to_have_text("Still here")

    page.mouse.click(*middle)
    expect(turn(page, "stopped")).to_be_visible()


def test_the_second_half_of_a_double_click_sends_nothing(page: Page, upstream: Upstream):
    say(page, "long")
    upstream.next_call().begin()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    box(page).fill("half a thought")
    page.clock.run_for(LATER_MS)
    middle = press(page, "Stop")
    expect(turn(page, "stopped")).to_be_visible()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)

    expect(box(page)).to_have_value("half a thought")
    assert upstream.sent() == ["Hello", "long"]


def test_a_window_that_another_has_left_behind_catches_up(
    context: BrowserContext, upstream: Upstream
):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    say(first, "in the first")
    upstream.next_call().begin().complete("One")
    expect(text(first, "complete", 1)).to_have_text("One")

    say(second, "in the second")
    upstream.next_call().begin().complete("Two")
    expect(text(second, "complete", 2)).to_have_text("Two")
    said = second.locator(".turn__said > [dir]")
    expect(said).to_have_text(["Hello", "in the first", "in the second"])


def test_more_than_can_be_sent_is_kept_whole_and_said(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    words = "x" * 32_001 + " THE END"
    box(page).fill(words)
    expect(page.locator("#left")).to_have_text("Characters left: -9")
    box(page).press("Enter")

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("32,009 characters")
    expect(box(page)).to_have_value(words)
    assert all("413" in line for line in surprises)
    surprises.clear()
    assert upstream.sent() == ["Hello"]


def test_who_leaves_the_box_has_left_it(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    expect(box(page)).to_be_focused()
    page.keyboard.press("Escape")
    call.delta(" and more")
    expect(text(page)).to_have_text("One and more")
    expect(box(page)).not_to_be_focused()
    page.keyboard.press("s")
    expect(turn(page, "stopped")).to_be_visible()


@pytest.mark.parametrize("rewritten", [False, True])
def test_what_is_typed_while_a_message_is_on_its_way_stays(
    context: BrowserContext, upstream: Upstream, *, rewritten: bool
):
    page = begun(context, upstream)
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    say(page, "First")
    if rewritten:
        box(page).fill("Second")
    else:
        box(page).press("End")
        box(page).press_sequentially(" Second")
    held[0].continue_()

    upstream.next_call().begin().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("Second")
    page.reload()
    expect(box(page)).to_have_value("Second")
    assert upstream.sent() == ["Hello", "First"]


def test_what_is_typed_while_a_message_is_refused_stays(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page, _call = talking(context, upstream)
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    say_too_early(page, "First")
    box(page).press("End")
    box(page).press_sequentially(", and more")
    held[0].continue_()

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(page)).to_have_value("First, and more")
    assert all("409" in line for line in surprises)
    surprises.clear()
