"""What is pressed twice, in two windows, or too much of: nothing is done that was not meant."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun, box, say, say_too_early, talking, text, turn
from tests.support.upstream import Upstream

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
    call = upstream.next_call().start_stream()
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
    upstream.next_call().start_stream()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    box(page).fill("half a thought")
    page.clock.run_for(LATER_MS)
    middle = press(page, "Stop")
    expect(turn(page, "stopped")).to_be_visible()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(*middle)

    expect(box(page)).to_have_value("half a thought")
    assert upstream.sent_messages() == ["Hello", "long"]


def test_who_goes_to_stop_by_the_keyboard_at_once_stops(page: Page, upstream: Upstream):
    again = page.get_by_role("button", name="Ask again")
    again.focus()
    again.press("Enter")
    upstream.next_call().start_stream().delta("One")
    expect(box(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")

    expect(turn(page, "stopped")).to_be_visible()


def test_a_press_that_was_meant_for_stop_sends_no_draft(page: Page, upstream: Upstream):
    say(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(text(page)).to_have_text("One")
    box(page).fill("half a thought")
    page.clock.run_for(LATER_MS)
    place = page.get_by_role("button", name="Stop").bounding_box()
    assert place
    call.complete("One")
    page.get_by_role("button", name="Send").wait_for()
    page.clock.run_for(BETWEEN_MS)
    page.mouse.click(place["x"] + 9, place["y"] + 9)
    box(page).press("End")
    page.keyboard.type(" more")
    page.mouse.click(place["x"] + 9, place["y"] + 9)

    assert upstream.next_call().body["content"] == "half a thought more"


def test_a_window_that_another_has_left_behind_catches_up(
    context: BrowserContext, upstream: Upstream
):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    say(first, "in the first")
    upstream.next_call().start_stream().complete("One")
    expect(text(first, "complete", 1)).to_have_text("One")

    say(second, "in the second")
    upstream.next_call().start_stream().complete("Two")
    expect(text(second, "complete", 2)).to_have_text("Two")
    said = second.locator(".turn__said > [dir]")
    expect(said).to_have_text(["Hello", "in the first", "in the second"])


def test_who_reads_an_earlier_turn_by_the_keyboard_stays_there(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    say(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(text(page)).to_have_text("One")
    for key in ("Escape", "k", "k"):
        page.keyboard.press(key)
    expect(turn(page, "complete")).to_be_focused()
    call.delta(".\n\nMore" * 60)
    expect(text(page)).to_contain_text("More")
    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    expect(turn(page, "complete").locator(".turn__said")).to_be_in_viewport()


def test_what_has_the_focus_in_an_earlier_turn_stays_in_sight(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    say(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(text(page)).to_contain_text("One")
    copy = page.get_by_role("button", name="Copy").first
    copy.focus()
    expect(copy).to_be_in_viewport()
    call.delta("\n\nLong." * 60)
    expect(text(page)).to_contain_text("Long.")

    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    expect(copy).to_be_in_viewport()
    call.complete()


def test_what_grew_before_the_page_was_looked_at_again_is_followed(
    context: BrowserContext, upstream: Upstream
):
    page, _ = talking(context, upstream, "One" + "\n\nline" * 60)
    grow = "(reply) => { const part = document.createElement('p'); part.style.blockSize = '300px';"
    text(page).evaluate(f"{grow} reply.append(part); dispatchEvent(new Event('scroll')); }}")
    page.evaluate("new Promise(requestAnimationFrame)")
    page.evaluate("new Promise(requestAnimationFrame)")

    left = "document.scrollingElement.scrollHeight - scrollY - innerHeight"
    assert page.evaluate(left) < 2


def test_who_leaves_the_box_has_left_it(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    expect(box(page)).to_be_focused()
    page.keyboard.press("Escape")
    call.delta(" and more")
    expect(text(page)).to_have_text("One and more")
    expect(box(page)).not_to_be_focused()
    page.keyboard.press("s")
    expect(turn(page, "stopped")).to_be_visible()


def test_a_window_whose_message_is_refused_sees_what_another_has_said(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    say(first, "in the first")
    call = upstream.next_call().start_stream()
    say_too_early(second, "in the second")
    expect(second.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    call.complete("One")

    expect(text(second, "complete", 1)).to_have_text("One")
    box(second).press("Enter")
    upstream.next_call().start_stream().complete("Two")
    expect(text(second, "complete", 2)).to_have_text("Two")
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_whoever_writes_where_another_window_has_deleted_is_told(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    second.locator("summary[title^=Options]").click()
    second.get_by_role("button", name="Delete").click()
    expect(second.get_by_text("was deleted")).to_be_visible()
    say(first, "still here?")

    expect(first.locator("#notices")).to_contain_text("This conversation was deleted")
    expect(box(first)).to_have_value("still here?")
    first.locator("#notices").get_by_role("button", name="Undo").click()
    expect(first.locator("#composer")).to_contain_text("is back")
    expect(box(first)).to_have_value("still here?")
    assert all("404" in line for line in surprises)
    surprises.clear()
