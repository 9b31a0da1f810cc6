"""Continuing a conversation: sending, stopping, editing, scrolling and focus."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.chromium import resize
from tests.support.page_steps import (
    LONG_REPLY,
    message_box,
    open_conversation,
    open_streaming_conversation,
    reply_text,
    send_message,
    turn,
)
from tests.support.upstream import Upstream

LONG = f"One\n\n{LONG_REPLY}"
WIDE = "| " + " | ".join(f"column-{n:03}-is-wide" for n in range(12)) + " |\n" + "|---" * 12 + "|\n"
NARROW = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def open_long_conversation(context: BrowserContext, upstream: Upstream) -> Page:
    page, call = open_streaming_conversation(context, upstream, "One")
    call.complete(LONG)
    expect(reply_text(page, "complete").locator("p")).to_have_count(LONG.count("\n\n") + 1)
    expect(turn(page, "complete").get_by_role("button", name="Try again")).to_be_in_viewport()
    # Nothing can be clicked during the page's fade-in.
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    return page


def test_sent_message_scrolls_into_view_and_a_retry_keeps_the_draft(
    context: BrowserContext, upstream: Upstream
):
    page = open_long_conversation(context, upstream)
    page.evaluate("scrollTo(0, 0)")
    message_box(page).fill("And then?")
    page.evaluate("scrollTo(0, 0)")
    message_box(page).press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting").get_by_text("And then?", exact=True).first).to_be_in_viewport()
    call.complete(LONG)
    expect(turn(page, "complete", 1)).to_be_visible()

    message_box(page).fill("a draft")
    page.get_by_role("button", name="Try again").click()
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_in_viewport()
    expect(message_box(page)).to_be_focused()
    call.complete("Yes")
    expect(reply_text(page, "complete", 1)).to_have_text("Yes")
    expect(message_box(page)).to_have_value("a draft")


def test_stop_replaces_send_and_only_the_last_turn_can_be_asked_again(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "One")
    stop, send, retry = (
        page.get_by_role("button", name=name) for name in ("Stop", "Send", "Try again")
    )
    expect(stop).to_be_in_viewport()
    expect(send).to_have_count(0)
    stop.click()
    expect(turn(page, "stopped")).to_be_visible()
    expect(stop).to_have_count(0)
    expect(send).to_be_visible()
    expect(message_box(page)).to_be_focused()
    assert call.wait_for_disconnect()

    send_message(page, "Go on")
    upstream.next_call().respond(500, {})
    expect(turn(page, "failed")).to_be_visible()
    expect(retry).to_have_count(1)
    send_message(page, "Go on after all")
    call = upstream.next_call().start_stream()
    expect(stop).to_be_visible()
    stop.focus()
    call.complete("Two")
    expect(turn(page, "complete")).to_be_visible()
    expect(send).to_be_visible()
    expect(message_box(page)).to_be_focused()

    for page_again in (None, page.reload):
        if page_again:
            page_again()
        expect(retry).to_have_count(1)
        expect(turn(page, "complete").get_by_role("button", name="Try again")).to_be_visible()


def test_only_wide_blocks_are_tab_stops_and_footnote_back_links_have_accessible_names(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "One")
    wide_code = "```python\n" + "x" * 400 + "\n```\n"
    notes = "Round[^a], and red[^b].\n\n[^a]: More or less.\n[^b]: Rust.\n"
    call.complete(f"One\n\n{WIDE}\n\n{NARROW}\n\n{wide_code}\n```\nshort\n```\n\n{notes}")
    expect(turn(page, "complete")).to_be_visible()

    expect(page.get_by_role("group", name="Table")).to_have_count(1)
    expect(page.get_by_role("group", name="Code")).to_have_count(1)
    expect(page.locator(".turn__reply [tabindex='0']")).to_have_count(2)
    for label in ("a", "b"):
        back = page.get_by_role("link", name=f"Back to reference {label}")
        expect(back).to_have_text("\u21a9")


SOURCE = {"file": "bread.md", "heading": "Bread", "passage": "Yeast makes gas.\n\n" * 60}
# What a link or the shortcut j leads to, and the header, which covers the top of the page.
SHOWN_BELOW = """([selector]) => {
  const { top } = document.querySelector(selector).getBoundingClientRect();
  const header = document.querySelector("main > header").getBoundingClientRect();
  return top >= header.bottom && top < innerHeight;
}"""


@pytest.mark.parametrize(("width", "height"), [(360, 740), (800, 400)])
def test_target_of_a_link_is_shown_below_the_header(
    context: BrowserContext, upstream: Upstream, width: int, height: int
):
    page, call = open_streaming_conversation(context, upstream, "One")
    page.set_viewport_size({"width": width, "height": height})
    notes = f"{LONG}\n\nBecause of yeast [1] and heat[^a].\n\n[^a]: An oven is hot."
    call.send_event(type="complete", message={"content": notes, "sources": [SOURCE]})
    call.close()
    expect(turn(page, "complete")).to_be_visible()
    note, back = "[role=doc-noteref]", "[role=doc-backlink]"
    for link, target in (("[href*=source]", "blockquote"), (note, ".noted"), (back, note)):
        page.locator(f".turn__reply {link}").click()
        page.wait_for_function(SHOWN_BELOW, arg=[target])
    turn_id = page.locator(".turn").get_attribute("id")
    page.goto(f"{page.url.split('#')[0]}#{turn_id}")
    page.wait_for_function(SHOWN_BELOW, arg=[".turn__content"])


def test_typing_editing_and_renaming_do_not_scroll_the_page(
    context: BrowserContext, upstream: Upstream
):
    page = open_long_conversation(context, upstream)
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Edit message")).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Edit message")).to_have_count(0)
    assert page.evaluate("scrollY") == 0

    for place in (0, 900):
        page.evaluate(f"scrollTo(0, {place})")
        message_box(page).press_sequentially("Some words")
        message_box(page).press("Shift+Enter")
        message_box(page).press_sequentially("and more")
        page.get_by_role("heading", level=1).click()
        title = page.get_by_role("textbox", name="Title")
        title.press_sequentially("Another")
        page.keyboard.press("Escape")
        expect(title).to_have_count(0)
        assert page.evaluate("scrollY") == place
        message_box(page).fill("")
        page.evaluate(f"scrollTo(0, {place})")

        page.get_by_role("button", name="Conversation menu").click()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        title.fill(f"Another {place}")
        assert page.evaluate("scrollY") == place
        page.get_by_role("button", name="Save", exact=True).click()
        note_after_renaming(page, f"Another {place}")
        assert page.evaluate("scrollY") == place
        assert "done=" not in page.url
        page.keyboard.type("n")
        expect(message_box(page)).to_have_value("n")
        note = page.get_by_role("group", name="Renamed to")
        expect(note).to_have_count(0)
        page.reload()
        expect(note).to_have_count(0)
        message_box(page).fill("")


# The buttons that are narrower or lower than the token --touch.
SMALL_BUTTONS = """() => [...document.querySelectorAll("main button, main .icon-button")]
  .filter((button) => button.checkVisibility())
  .filter((button) => Math.min(button.offsetWidth, button.offsetHeight) < 44)
  .map((button) => button.outerHTML)"""


def note_after_renaming(page: Page, title: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.wait_for_load_state()
    expect(page.get_by_role("group", name="Renamed to")).to_be_in_viewport()
    expect(page.locator("#announcer")).to_have_text(f"Renamed to “{title}”")
    expect(message_box(page)).to_be_focused()


def test_buttons_fit_a_finger_on_a_touch_screen(phone: BrowserContext, upstream: Upstream):
    page = open_conversation(phone, upstream)

    assert page.evaluate(SMALL_BUTTONS) == []


def test_focus_moves_between_send_and_stop_on_a_phone_and_the_box_stays(
    phone: BrowserContext, upstream: Upstream
):
    page = open_conversation(phone, upstream)
    send, stop = (page.get_by_role("button", name=name) for name in ("Send", "Stop"))
    resize(page, 360, 640)
    message_box(page).fill("More")
    send.focus()
    page.keyboard.press("Enter")
    call = upstream.next_call().start_stream()
    expect(stop).to_be_focused()
    height = page.locator("#composer").evaluate("({ offsetHeight }) => offsetHeight")
    call.complete("Yes")
    expect(send).to_be_focused()
    assert page.locator("#composer").evaluate("({ offsetHeight }) => offsetHeight") == height

    page.get_by_role("button", name="Try again").focus()
    page.keyboard.press("Enter")
    upstream.next_call().start_stream()
    expect(stop).to_be_focused()
    expect(message_box(page)).to_have_accessible_description(
        "You can send when this reply is finished"
    )
