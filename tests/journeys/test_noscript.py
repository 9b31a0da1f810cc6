"""Journeys without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import (
    LONG_REPLY,
    TOO_LONG_MESSAGE,
    message_box,
    open_conversation,
    open_menu,
    open_streaming_conversation,
    send_message,
    turn,
)
from tests.support.upstream import Upstream

# Each form, and the sizes of the windows in which its message is rejected.
REJECTED_AT = {
    "/twins/ada": [(360, 640), (640, 320)],
    "conversation": [(1280, 479), (640, 320)],
}


def place(part: Locator) -> int:
    """Return the vertical position of an element in the viewport, in whole pixels."""
    return round(part.evaluate("part => part.getBoundingClientRect().top"))


@pytest.mark.fault("F63")
def test_person_finds_a_twin_and_chats_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream
):
    page = noscript_context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox", name="Search").fill("explains")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Ada", exact=True).click()
    page.get_by_role("button", name="How does a bicycle stay upright?", exact=True).click()
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_visible()
    call.delta("It does")
    expect(turn(page, "streaming")).to_contain_text("It does")
    call.complete("It does **so**")
    expect(turn(page, "complete").locator("strong")).to_have_text("so")
    page.go_back()  # following the reply has added no step to the history
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.go_forward()
    expect(turn(page, "complete").locator("strong")).to_have_text("so")
    assert upstream.sent_messages() == ["How does a bicycle stay upright?"]
    for role in ("button", "link"):
        expect(page.get_by_role(role, name="Copy")).to_have_count(0)
    expect(page.get_by_role("link", name="Link (only you can open it)")).to_have_count(1)
    page.get_by_role("button", name="View as plain text").click()
    expect(page.locator("body")).to_have_text("It does **so**")
    page.go_back()

    send_message(page, "And a tricycle?")
    call = upstream.next_call().start_stream()
    page.get_by_role("button", name="Stop").click()
    expect(turn(page, "stopped")).to_be_visible()
    page.get_by_role("button", name="Edit").first.click()
    expect(message_box(page)).to_have_value("How does a bicycle stay upright?")
    expect(page.get_by_text("your original message stays")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    upstream.next_call().start_stream().complete("As well")
    expect(turn(page, "complete", 1)).to_contain_text("As well")
    open_menu(page, "How does a bicycle stay upright?")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".note").last).to_contain_text("” pinned")

    page.get_by_role("link", name="All conversations").click()
    page.get_by_role("searchbox", name="Search conversations").fill("tricycle")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("main").get_by_role("link", name="How does a bicycle").first.click()
    expect(turn(page, "complete", 1)).to_be_visible()


def test_drafts_stay_and_features_of_scripts_are_hidden_without_javascript(
    noscript_context: BrowserContext,
):
    page = noscript_context.new_page()
    page.goto("/")
    page.get_by_role("combobox", name="Twin").select_option("Odd")
    message_box(page).fill("Hello, Odd")
    page.goto("/preferences")
    expect(page.get_by_role("group", name="Theme")).to_be_visible()
    for group in ("Press Enter to", "Keyboard shortcuts"):
        expect(page.get_by_role("group", name=group)).to_be_hidden()
    page.get_by_role("button", name="More").click()
    for each in page.get_by_text("Keyboard shortcuts").all():
        expect(each).to_be_hidden()
    page.go_back()
    expect(message_box(page)).to_have_value("Hello, Odd")
    expect(page.get_by_role("combobox", name="Twin").locator(":checked")).to_have_text("Odd")


def test_streaming_reply_does_not_move_the_page_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(noscript_context, upstream, "Once")
    first = turn(page, "streaming").locator("p:visible", has_text="Once")
    there = place(first)
    for words in (" two", " three\n\nAnd a second", " part.\n\nAnd a third"):
        call.delta(words)
        last = turn(page, "streaming").locator("p:visible").last
        expect(last).to_contain_text(words.split()[-1])
        assert place(first) == there
    call.complete(f"Once two three\n\nAnd a second part.\n\nAnd a third\n\n{LONG_REPLY}")
    expect(turn(page, "complete").get_by_text("Paragraph 59.")).to_be_in_viewport()
    send_message(page, "More")
    call = upstream.next_call().start_stream()
    call.delta(LONG_REPLY)
    running = turn(page, "streaming")
    expect(running.get_by_text("Paragraph 59.").last).to_be_in_viewport()
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_in_viewport()

    read = running.get_by_text("Paragraph 40.").first
    read.scroll_into_view_if_needed()
    there = place(read)
    call.delta("\n\nAnd on.\n\n```\n" + "x = 1\n" * 40)
    expect(running.locator(".code").last).to_be_attached()
    assert place(read) == there
    page.mouse.move(800, 300)
    page.mouse.wheel(0, 100_000)
    expect(running.locator(".code").last).to_be_in_viewport()
    stop.click(trial=True)  # nothing covers it
    read.scroll_into_view_if_needed()
    there = place(read)
    call.complete()
    last = turn(page, "complete", 1)
    expect(last).to_be_attached()
    assert abs(place(last.get_by_text("Paragraph 40.").first) - there) <= 1


def test_complete_reply_has_the_same_layout_after_reload_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream
):
    page = open_conversation(noscript_context, upstream)
    send_message(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("# One\n\nText[^1]\n\n```\ncode\n```\n\n> quote\n>\n> more\n\n## Two\n\nText\n\n")
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    call.complete(
        "# One\n\nText[^1]\n\n```\ncode\n```\n\n> quote\n>\n> more\n\n## Two\n\nText\n\n[^1]: A."
    )
    expect(page.locator(".noscript-final .noted")).to_be_visible()
    parts = page.locator(".turn__reply :is(h3, h4, p, .code, blockquote, .noted):visible")
    tops = "parts => parts.map((part) => part.getBoundingClientRect().top)"
    then = parts.evaluate_all(tops)
    page.goto(page.url.partition("?")[0])
    now = parts.evaluate_all(tops)

    assert [top - then[-1] for top in then] == [top - now[-1] for top in now]


def test_rejection_reason_is_in_the_viewport_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(noscript_context, upstream)
    conversation = page.url.partition("?")[0]
    for form, sizes in REJECTED_AT.items():
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(form if form.startswith("/") else conversation)
            send_message(page, TOO_LONG_MESSAGE)
            expect(page.locator("#form-error")).to_be_in_viewport(ratio=0.9)
    page_errors.clear()
