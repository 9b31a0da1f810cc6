"""Two windows of one conversation: what is said in one is seen in the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route, expect

from tests.journeys.conftest import Surprises, open_context
from tests.journeys.steps import begun, box, menu, say, text, turn
from tests.journeys.traffic import Held, until
from tests.journeys.window import hide, same_person, show
from tests.support.upstream import Upstream


def beside(page: Page) -> Page:
    """Open the same conversation in another window."""
    other = page.context.new_page()
    other.goto(page.url)
    expect(turn(other, "complete")).to_be_visible()
    return other


def test_what_is_said_in_one_window_is_followed_in_the_other(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    other = beside(page)
    box(other).fill("My draft")
    say(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One two")
    expect(text(other)).to_have_text("One two")
    expect(box(other)).to_have_value("My draft")
    call.complete("One two three")
    expect(text(other, "complete", 1)).to_have_text("One two three")
    expect(other.get_by_role("button", name="Ask again")).to_have_count(1)
    say(other, "And more")
    upstream.next_call().start_stream().complete("Four")
    for window in (page, other):
        expect(window.locator(".turn")).to_have_count(3)
        expect(text(window, "complete", 2)).to_have_text("Four")


def test_what_is_asked_again_is_followed_in_the_other_and_announced_there_alone(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    other = beside(page)
    page.bring_to_front()
    page.get_by_role("button", name="Ask again").click()
    call = upstream.next_call().start_stream()
    expect(other.locator("#announcer")).to_contain_text("Ada replies to")
    expect(page.locator("#announcer")).to_contain_text("Ada has your message")
    call.complete("One two")
    expect(text(other, "complete", 1)).to_have_text("One two")


def test_what_was_said_elsewhere_is_there_when_one_comes_back(
    browser: Browser, url: str, surprises: Surprises, context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    for elsewhere in open_context(browser, url, surprises, scripts=True):
        same_person(context, elsewhere)
        away = elsewhere.new_page()
        away.goto(page.url)
        hide(page)
        for number, said in enumerate(("More", "And more"), 1):
            say(away, said)
            upstream.next_call().start_stream().complete(f"To “{said}”")
            expect(text(away, "complete", number)).to_have_text(f"To “{said}”")
    expect(page.locator(".turn")).to_have_count(1)
    show(page)
    expect(page.locator(".turn")).to_have_count(3)
    expect(text(page, "complete", 2)).to_have_text("To “And more”")


@pytest.mark.parametrize("meanwhile", [None, hide], ids=["looked at", "hidden"])
def test_what_comes_by_two_ways_is_shown_once(
    context: BrowserContext, upstream: Upstream, meanwhile: Callable[[Page], None] | None
):
    page = begun(context, upstream)
    other = beside(page)
    held = Held(other, "**/turns?seen=*")
    say(page, "More")
    upstream.next_call().start_stream().complete("Two")
    expect(turn(page, "complete", 1)).to_be_visible()
    say(other, "And more")
    upstream.next_call().start_stream().complete("Three")
    expect(other.locator(".turn")).to_have_count(3)
    if meanwhile:
        meanwhile(other)
    with other.expect_event("requestfinished", lambda request: "?seen=" in request.url):
        held.release()
    other.evaluate("new Promise((done) => setTimeout(done))")

    expect(other.locator(".turn")).to_have_count(3)
    expect(other.locator(".turn__said")).to_contain_text(["Hello", "More", "And more"])


def test_a_message_whose_answer_is_late_is_shown_once(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/turns", lambda route: held.append((route, route.fetch())), times=1)
    with page.expect_request("**/turns"):
        say(page, "More")
    until(page, lambda: held)  # what holds the answer has its turn before this one waits
    upstream.next_call().start_stream().complete("Two")
    show(page)
    expect(text(page, "complete", 1)).to_have_text("Two")
    ((route, answer),) = held
    route.fulfill(response=answer)
    expect(box(page)).to_be_empty()
    expect(page.locator(".turn")).to_have_count(2)


@pytest.mark.usefixtures("bad_network")
def test_nobody_is_told_what_they_have_not_asked_for(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.route("**/turns?seen=*", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        show(page)
    for _ in range(2):
        with page.expect_response("**/turns?seen=*"):
            show(page)
        context.clear_cookies()
    page.evaluate("new Promise((done) => setTimeout(done))")
    expect(page.locator("#notices")).to_be_empty()
    expect(page.locator(".turn")).to_have_count(1)


def test_who_only_reads_hears_what_is_said_elsewhere_and_keeps_the_focus(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    other = beside(page)
    say(page, "More")
    call = upstream.next_call().start_stream()
    expect(other.locator("#announcer")).to_contain_text("Ada replies to “More”")
    call.complete("Two")
    expect(text(other, "complete", 1)).to_have_text("Two")
    expect(other.locator("body")).to_be_focused()


def test_a_window_that_offers_an_undo_is_told_what_others_say(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    other = beside(page)
    menu(other, "Hello")
    other.get_by_role("button", name="Archive").click()
    other.goto(page.url + "?done=archived&of=" + page.url.rsplit("/", 1)[1].partition("?")[0])
    expect(other.get_by_role("button", name="Undo")).to_be_visible()
    say(page, "More")
    upstream.next_call().start_stream().complete("Two")

    expect(text(other, "complete", 1)).to_have_text("Two")


def test_a_draft_that_another_window_sends_is_no_draft_any_more(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box(page).fill("shared words")
    other = beside(page)
    expect(box(other)).to_have_value("shared words")
    box(other).press("Enter")
    upstream.next_call().start_stream().complete("Two")

    expect(text(page, "complete", 1)).to_have_text("Two")
    expect(box(page)).to_have_value("")
    page.reload()
    expect(box(page)).to_have_value("")
