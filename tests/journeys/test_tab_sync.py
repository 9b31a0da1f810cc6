"""Two windows of one conversation: what is sent in one appears in the other."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.journeys.conftest import PageErrors, open_context
from tests.journeys.window import RECORD_ANNOUNCEMENTS, copy_cookies, hide_tab, show_tab
from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import (
    message_box,
    open_conversation,
    open_menu,
    open_streaming_conversation,
    rename,
    reply_text,
    send_while_replying,
    turn,
)
from tests.support.traffic import DelayedRequest, record_requests
from tests.support.upstream import Upstream
from twindow.web.container import Portal


def open_second_window(page: Page) -> Page:
    """Open the same conversation in another window."""
    other = page.context.new_page()
    other.goto(page.url)
    expect(turn(other, "complete")).to_be_visible()
    return other


def send(page: Page, words: str) -> None:
    """Send with Enter: a click waits for animation frames, which a background tab rarely gets."""
    message_box(page).fill(words)
    message_box(page).press("Enter")


def test_windows_of_a_conversation_show_and_announce_the_same_turns_and_keep_their_focus(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    other = open_second_window(page)
    message_box(other).fill("My draft")
    send(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One two")
    expect(reply_text(other)).to_have_text("One two")
    expect(message_box(other)).to_have_value("My draft")
    send_while_replying(other, "And more")
    expect(other.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    call.complete("One two three")
    expect(reply_text(other, "complete", 1)).to_have_text("One two three")
    expect(other.locator("#composer").get_by_role("alert")).to_have_count(0)
    expect(message_box(other)).to_have_value("And more")
    expect(other.get_by_role("button", name="Try again")).to_have_count(1)
    assert all("409" in line for line in page_errors)
    page_errors.clear()

    message_box(other).press("Enter")
    call = upstream.next_call().start_stream()
    call.delta("For ever and")
    for window in (page, other):
        expect(reply_text(window)).to_have_text("For ever and")
    page.bring_to_front()
    page.get_by_role("button", name="Stop").click()
    for window in (page, other):
        expect(turn(window, "stopped")).to_contain_text("For ever and")
        expect(turn(window, "stopped").locator(".note")).to_contain_text("Stopped.")
        expect(window.locator(".turn__content > [dir]")).to_have_text(["Hello", "More", "And more"])
    assert call.wait_for_disconnect()

    other.evaluate(RECORD_ANNOUNCEMENTS)
    page.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete("One two")
    other.wait_for_function("() => announcements.join().includes('Ada replies to “And more”')")
    expect(reply_text(other, "complete", 2)).to_have_text("One two")
    expect(message_box(other)).to_be_focused()

    open_menu(other, "Hello")
    other.get_by_role("button", name="Archive").click()
    other.goto(
        page.url + "?done=archived&conversation=" + page.url.rsplit("/", 1)[1].partition("?")[0]
    )
    expect(other.get_by_role("button", name="Undo")).to_be_visible()
    send(page, "Last")
    upstream.next_call().start_stream().complete("Two")
    expect(reply_text(other, "complete", 3)).to_have_text("Two")


def test_turns_and_title_from_another_device_appear_when_the_tab_is_shown_again(
    browser: Browser, url: str, page_errors: PageErrors, context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    for elsewhere in open_context(browser, url, page_errors, has_javascript=True):
        copy_cookies(context, elsewhere)
        away = elsewhere.new_page()
        away.goto(page.url)
        hide_tab(page)
        for number, message in enumerate(("More", "And more"), 1):
            send(away, message)
            upstream.next_call().start_stream().complete(f"To “{message}”")
            expect(reply_text(away, "complete", number)).to_have_text(f"To “{message}”")
        open_menu(away, "Hello")
        rename(away, "A better name")
        expect(away.get_by_role("heading", level=1)).to_have_text("A better name")
    expect(page.locator(".turn")).to_have_count(1)
    show_tab(page)
    expect(page.locator(".turn")).to_have_count(3)
    expect(reply_text(page, "complete", 2)).to_have_text("To “And more”")
    expect(page.get_by_role("heading", level=1)).to_have_text("A better name")
    expect(page).to_have_title(re.compile("^A better name"))
    expect(page.locator("#recent [aria-current=page] > span")).to_have_text("A better name")


def test_turn_that_arrives_twice_is_shown_once(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    other = open_second_window(page)
    messages = ["Hello"]
    for hidden in (False, True):
        held = DelayedRequest(other, "**/turns?seen=*")
        for window, words in ((page, f"Here {len(messages)}"), (other, f"There {len(messages)}")):
            send(window, words)
            upstream.next_call().start_stream().complete("Yes")
            messages.append(words)
            expect(window.locator(".turn[data-state=complete]", has_text=words)).to_be_visible()
        if hidden:
            hide_tab(other)
        with other.expect_event("requestfinished", lambda request: "?seen=" in request.url):
            held.release()
        other.evaluate(WAIT_FOR_PAINT)
        expect(other.locator(".turn")).to_have_count(len(messages))
        expect(other.locator(".turn__content")).to_contain_text(messages)


@pytest.mark.usefixtures("bad_network")
def test_deletion_in_another_window_is_shown_and_can_be_undone(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream)
    other = context.new_page()
    other.goto("/conversations")
    open_menu(other, "Hello")
    other.get_by_role("button", name="Delete").click()
    expect(turn(page, "stopped")).to_contain_text("Stopped because the conversation was deleted")
    assert call.wait_for_disconnect()
    send(page, "still here?")
    expect(page.locator("#notices")).to_contain_text("This conversation was deleted")
    expect(message_box(page)).to_have_value("still here?")

    page.locator("#notices").get_by_role("button", name="Restore").click()
    expect(page.locator("#composer")).to_contain_text("restored")
    expect(message_box(page)).to_have_value("still here?")
    expect(turn(page, "stopped")).to_contain_text("One")


def test_list_of_the_sidebar_follows_other_windows_and_devices(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    others = [context.new_page(), open_second_window(page)]
    others[0].goto("/help")
    open_menu(page, "Hello")
    rename(page, "A better name")
    for other in others:
        expect(other.locator("#recent li a > [dir]")).to_have_text("A better name")
    page.goto("/")
    send(page, "Hello again")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete")).to_be_visible()
    for other in others:
        expect(other.locator("#recent li a > [dir]")).to_have_text(["Hello again", "A better name"])
    expect(others[1].locator("#recent [aria-current] > span")).to_have_text("A better name")
    send(others[1], "More")
    upstream.next_call().start_stream().complete("Done")
    for other in others:
        expect(other.locator("#recent li a > [dir]")).to_have_text(["A better name", "Hello again"])
        expect(other.locator("#recent .dot")).to_have_count(0)

    insert_conversation(portal.database, get_only_person(portal.database), 1, title="Elsewhere")
    for other in others:
        hide_tab(other)
        show_tab(other)
        expect(other.locator("#recent li a > [dir]").first).to_have_text("Elsewhere")


def test_dot_in_the_sidebar_follows_a_reply_of_another_conversation(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.clock.install()
    other = context.new_page()
    other.goto("/")
    send(other, "More")
    call = upstream.next_call().start_stream()
    expect(turn(other, "waiting")).to_be_visible()
    row = page.get_by_role("link", name="More")
    expect(row).to_have_accessible_name("More Replying…")
    hide_tab(other)
    call.complete("Yes")
    page.clock.fast_forward(10_000)
    expect(row).to_have_accessible_name("More New reply")

    show_tab(other)
    expect(turn(other, "complete")).to_be_visible()
    show_tab(page)
    expect(row).to_have_accessible_name("More")


def test_other_windows_learn_that_a_reply_was_seen_also_while_the_list_loads(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    other = context.new_page()
    other.goto("/help")
    asked = record_requests(page, lambda request: "/conversations/recent" in request.url)
    held = DelayedRequest(page, "**/conversations/recent*")
    send(page, "More")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete", 1)).to_be_visible()
    for _ in range(10):
        show_tab(page)
    expect(other.locator("#recent .dot")).to_have_count(1)
    held.release()
    expect(other.locator("#recent .dot")).to_have_count(0)
    assert len(asked) <= 3


def test_reply_that_ends_on_a_visible_page_is_not_new(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    with page.expect_response("**/conversations/recent*"):
        send(page, "More")
    call = upstream.next_call().start_stream()
    with page.expect_response("**/conversations/recent*"):
        # A reply with citations replaces its turn.
        source = {"file": "bread.md", "heading": "Bread", "passage": "Yeast makes gas."}
        call.send_event(type="complete", message={"content": "Yes [1].", "sources": [source]})
        call.close()
    page.goto("/")
    expect(page.locator("#recent li")).to_have_count(1)
    expect(page.locator("#recent .dot")).to_have_count(0)
