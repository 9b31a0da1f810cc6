"""What is pressed twice, in two windows, or too much of: nothing is done that was not meant."""

from __future__ import annotations

import re

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
    expect(page.locator("#left")).to_have_text("Characters too many: 9")
    box(page).press("Enter")

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("32,009 characters")
    expect(box(page)).to_have_value(words)
    assert all("413" in line for line in surprises)
    surprises.clear()
    assert upstream.sent() == ["Hello"]


def test_what_is_too_much_is_counted_from_the_next_sign_on(context: BrowserContext):
    page = context.new_page()
    page.goto("/twins/ada")
    counter = page.locator("#left")
    for words, told in (
        ("x" * 20, ""),
        ("x" * 31_999, "Characters left: 1"),
        ("x" * 32_001, "Characters too many: 1"),
        ("x" * 32_000, "Characters left: 0"),
        ("x" * 32_002, "Characters too many: 2"),
    ):
        box(page).fill(words)
        expect(counter).to_have_text(told)
        expect(counter).to_have_css("font-weight", "600" if "many" in told else "400")


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


@pytest.mark.parametrize(
    ("since", "kept"),
    [("First, and more", "First, and more"), ("Second", "First\n\nSecond"), ("", "First")],
    ids=["more", "others", "none"],
)
def test_no_words_are_lost_when_a_message_is_refused(
    context: BrowserContext, upstream: Upstream, surprises: Surprises, since: str, kept: str
):
    page, _call = talking(context, upstream)
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    say_too_early(page, "First")
    box(page).fill(since)
    held[0].continue_()

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(page)).to_have_value(kept)
    page.reload()
    expect(box(page)).to_have_value(kept)
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_a_draft_and_what_is_typed_after_an_edited_message_are_both_kept(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box(page).fill("old draft")
    page.get_by_role("link", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    box(page).press("Enter")
    box(page).fill("Typed since")
    held[0].continue_()
    upstream.next_call().begin().complete("Again")
    expect(text(page, "complete", 1)).to_have_text("Again")

    expect(box(page)).to_have_value("old draft\n\nTyped since")
    page.reload()
    expect(box(page)).to_have_value("old draft\n\nTyped since")


def test_a_message_that_is_too_long_is_shortened_where_one_was(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("x" * 32_001)
    expect(box(page)).to_have_attribute("aria-invalid", "true")
    box(page).press("Enter")
    alert = page.locator("#composer").get_by_role("alert")
    expect(alert).to_contain_text("32,001 characters")
    expect(page).to_have_url(re.compile("/twins/ada$"))
    expect(box(page)).to_be_focused()
    page.keyboard.press("Backspace")
    expect(box(page)).to_have_value("x" * 32_000)
    expect(alert).to_have_count(0)
    expect(box(page)).not_to_have_attribute("aria-invalid", "true")
    assert all("413" in line for line in surprises)
    surprises.clear()

    box(page).fill("short")
    box(page).press("Enter")
    upstream.next_call().begin().complete("One")
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(box(page)).to_have_value("")


def test_a_window_whose_message_is_refused_sees_what_another_has_said(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    say(first, "in the first")
    call = upstream.next_call().begin()
    say(second, "in the second")
    expect(second.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    call.complete("One")

    expect(text(second, "complete", 1)).to_have_text("One")
    second.get_by_role("button", name="Send").click()
    upstream.next_call().begin().complete("Two")
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


def test_a_draft_outlives_a_way_to_begin_that_is_chosen(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("half a thought")
    page.get_by_role("button", name="How does a bicycle stay upright?").click()
    upstream.next_call().begin().complete("It steers")
    expect(turn(page, "complete")).to_be_visible()

    page.goto("/twins/ada")
    expect(box(page)).to_have_value("half a thought")


def test_an_edit_that_did_not_come_does_not_stand_in_the_way_of_the_next_message(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    page.route(re.compile("words_of"), lambda route: route.abort(), times=1)
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("#notices")).to_contain_text("cannot be reached")
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    say(page, "First")
    box(page).fill("Second")
    held[0].continue_()
    upstream.next_call().begin().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")

    expect(box(page)).to_have_value("Second")
    surprises.clear()  # the failed request itself
