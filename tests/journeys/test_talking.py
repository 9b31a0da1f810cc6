"""Talking on: what one sends is in view, what runs can be stopped, what one said can be edited."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.steps import begun, box, say, say_too_early, talking, text, turn
from tests.support.upstream import Upstream

LONG = "\n\n".join(f"Paragraph {number}." for number in range(60))
WIDE = "| " + " | ".join(f"column-{n:03}-is-wide" for n in range(12)) + " |\n" + "|---" * 12 + "|\n"
NARROW = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def long_talk(context: BrowserContext, upstream: Upstream) -> Page:
    page, call = talking(context, upstream, "One")
    call.complete(LONG)
    expect(text(page, "complete").locator("p")).to_have_count(LONG.count("\n\n") + 1)
    expect(turn(page, "complete").get_by_role("button", name="Ask again")).to_be_in_viewport()
    # Nothing can be pressed while the page fades in.
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    return page


def test_what_one_sends_is_in_view_wherever_one_read(context: BrowserContext, upstream: Upstream):
    page = long_talk(context, upstream)
    page.evaluate("scrollTo(0, 0)")
    box(page).fill("And then?")
    page.evaluate("scrollTo(0, 0)")
    box(page).press("Enter")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting").get_by_text("And then?", exact=True).first).to_be_in_viewport()
    call.complete(LONG)
    expect(turn(page, "complete", 1)).to_be_visible()

    page.get_by_role("button", name="Ask again").click()
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_in_viewport()
    expect(box(page)).to_be_focused()
    call.complete("Yes")


def test_what_runs_is_stopped_where_it_would_be_sent(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    stop, send = (page.get_by_role("button", name=name) for name in ("Stop", "Send"))
    expect(stop).to_be_in_viewport()
    expect(send).to_have_count(0)
    stop.click()
    expect(turn(page, "stopped")).to_be_visible()
    expect(stop).to_have_count(0)
    expect(send).to_be_visible()
    expect(box(page)).to_be_focused()
    assert call.wait_for_disconnect()

    say(page, "Go on")
    call = upstream.next_call().start_stream()
    expect(stop).to_be_visible()
    stop.focus()
    call.complete("Two")
    expect(turn(page, "complete")).to_be_visible()
    expect(send).to_be_visible()
    expect(box(page)).to_be_focused()


def test_only_the_last_turn_can_be_asked_again(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    say(page, "Second")
    upstream.next_call().respond(500, {})
    expect(page.get_by_role("button", name="Retry")).to_have_count(1)
    say(page, "Third")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete", 1)).to_be_visible()

    for page_again in (None, page.reload):
        if page_again:
            page_again()
        expect(page.get_by_role("button", name="Retry")).to_have_count(0)
        expect(page.get_by_role("button", name="Ask again")).to_have_count(1)


def test_what_is_sent_too_early_is_kept_with_a_sentence(
    context: BrowserContext, upstream: Upstream, surprises
):
    page, call = talking(context, upstream, "One")
    say_too_early(page, "Too early")
    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(page)).to_have_value("Too early")
    call.complete("One")
    expect(turn(page, "complete")).to_be_visible()
    box(page).press("Enter")
    upstream.next_call().start_stream().complete("Two")
    expect(text(page, "complete", 1)).to_have_text("Two")
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_what_scrolls_sideways_is_a_stop_with_a_name_and_nothing_else_is(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    wide_code = "```python\n" + "x" * 400 + "\n```\n"
    call.complete(f"{WIDE}\n\n{NARROW}\n\n{wide_code}\n```\nshort\n```\n")
    expect(turn(page, "complete")).to_be_visible()

    expect(page.get_by_role("group", name="Table")).to_have_count(1)
    expect(page.get_by_role("group", name="Code")).to_have_count(1)
    expect(page.locator(".turn__reply [tabindex='0']")).to_have_count(2)


def test_a_note_leads_back_by_a_name(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    call.complete("Round[^a], and red[^b].\n\n[^a]: More or less.\n[^b]: Rust.\n")

    for number in ("1", "2"):
        back = page.get_by_role("link", name=f"Back to the text {number}")
        expect(back).to_have_text("\u21a9")


def test_writing_moves_nothing(context: BrowserContext, upstream: Upstream):
    page = long_talk(context, upstream)
    for place in (0, 900):
        page.evaluate(f"scrollTo(0, {place})")
        box(page).press_sequentially("Some words")
        box(page).press("Shift+Enter")
        box(page).press_sequentially("and more")
        page.locator(".talk .menu summary").click()
        page.get_by_role("textbox", name="Title").press_sequentially("Another")
        page.keyboard.press("Escape")
        assert page.evaluate("scrollY") == place


@pytest.mark.parametrize("place", [0, 900])
def test_who_renames_what_they_read_goes_on_where_they_were(
    context: BrowserContext, upstream: Upstream, place: int
):
    page = long_talk(context, upstream)
    page.evaluate(f"scrollTo(0, {place})")
    page.locator(".talk .menu summary").click()
    page.get_by_role("textbox", name="Title").fill("Another")
    assert page.evaluate("scrollY") == place
    page.get_by_role("button", name="Rename").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Another")
    page.wait_for_load_state()
    note = page.get_by_role("group", name="It is called")
    expect(note).to_be_in_viewport()
    expect(page.locator("#announcer")).to_have_text("It is called “Another” now")
    expect(box(page)).to_be_focused()
    assert page.evaluate("scrollY") == place
    assert "done=" not in page.url
    page.keyboard.type("n")
    expect(box(page)).to_have_value("n")
    expect(note).to_have_count(0)
    page.reload()
    expect(note).to_have_count(0)


def test_editing_moves_nothing(context: BrowserContext, upstream: Upstream):
    page = long_talk(context, upstream)
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    assert page.evaluate("scrollY") == 0
    box(page).press("Escape")
    expect(box(page)).to_have_value("")
    assert page.evaluate("scrollY") == 0


def test_the_focus_goes_to_the_next_button_where_a_box_would_call_up_a_keyboard(
    phone: BrowserContext, upstream: Upstream
):
    page = begun(phone, upstream)
    send, stop = (page.get_by_role("button", name=name) for name in ("Send", "Stop"))
    box(page).fill("More")
    send.focus()
    page.keyboard.press("Enter")
    call = upstream.next_call().start_stream()
    expect(stop).to_be_focused()
    call.complete("Yes")
    expect(send).to_be_focused()

    page.get_by_role("button", name="Ask again").focus()
    page.keyboard.press("Enter")
    upstream.next_call().start_stream()
    expect(stop).to_be_focused()
    expect(box(page)).to_have_accessible_description("You can send when the reply has ended")
