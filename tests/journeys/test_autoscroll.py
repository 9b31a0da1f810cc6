"""Scrolling along with a reply, unless the person is elsewhere; and the way back to its end."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.journeys.window import scroll_up
from tests.support.page_steps import (
    message_box,
    open_conversation,
    open_long_reply,
    open_streaming_conversation,
    reply_text,
    send_message,
    turn,
)
from tests.support.upstream import Upstream

AFTER_FRAMES = """() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))"""
GROW = """() => {
  const part = document.createElement("p");
  part.style.blockSize = "300px";
  document.querySelector(".turn__reply").append(part);
  dispatchEvent(new Event("scroll"));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    done(document.scrollingElement.scrollHeight - scrollY - innerHeight))));
}"""
GROW_AND_STEP_UP = """by => {
  document.querySelector(".turn__reply").append(Object.assign(
    document.createElement("p"), { textContent: "More and more." }));
  scrollBy(0, -by);
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    requestAnimationFrame(() => done(scrollY)))));
}"""


def test_page_scrolls_with_a_reply_only_while_at_its_end(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_long_reply(context, upstream)
    newest = page.get_by_role("button", name="New messages")
    expect(newest).to_be_hidden()
    for by in (30, 100, 400):
        place = scroll_up(page, by)
        call.delta(f"\n\nAfter {by}.")
        expect(reply_text(page)).to_contain_text(f"After {by}.")
        expect(newest).to_be_visible()
        assert page.evaluate("scrollY") == place
        page.evaluate("scrollTo(0, 1e6)")
        expect(newest).to_be_hidden()
        call.delta(f"\n\nMore than {by}." * 20)
        expect(reply_text(page)).to_contain_text(f"More than {by}.")
        expect(reply_text(page).locator("p").last).to_be_in_viewport()

    scroll_up(page, 10_000)
    call.delta("\n\nMore and more.")
    expect(newest).to_be_visible()
    newest.click()
    expect(reply_text(page).locator("p").last).to_be_in_viewport()
    expect(newest).to_be_hidden()
    scroll_up(page, 10_000)
    call.delta("\n\nAnd more.")
    expect(newest).to_be_visible()
    newest.press("Enter")
    expect(reply_text(page).locator("p").last).to_be_in_viewport()
    expect(message_box(page)).to_be_focused()

    assert page.evaluate(GROW) < 2
    place = page.evaluate("scrollY")
    assert page.evaluate(GROW_AND_STEP_UP, 300) < place - 200  # in the frame in which it grows


def test_jump_to_latest_is_shown_only_far_above_and_never_over_the_composer(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_long_reply(context, upstream)
    call.complete()
    last = turn(page, "complete").get_by_text("Paragraph 59.")
    down = page.get_by_role("button", name="Jump to latest")
    for load in (lambda: None, page.reload):
        load()
        expect(last).to_be_in_viewport()
        expect(down).to_be_hidden()
        scroll_up(page, 100)
        expect(down).to_be_hidden()
        scroll_up(page, 1_500)
        expect(down).to_be_visible()
        down.click()
        expect(last).to_be_in_viewport()

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

    # The Tab key skips the button, and the button is not printed.
    message_box(page).evaluate("box => box.focus({ preventScroll: true })")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("link", name="Copy link")).to_be_focused()
    page.emulate_media(media="print")
    expect(page.locator(".newest-bar")).to_have_css("display", "none")


DRAFT = "A line of a draft.\n" * 8
COVERED = """() => {
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  return Boolean(document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".composer"));
}"""


def test_tall_composer_covers_no_reply_and_no_focused_element(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "See")
    call.complete("\n\n".join(f"See [link {n}](https://example.org/{n})." for n in range(30)))
    tools = page.locator(".turn__footer .turn__actions")
    expect(tools).to_be_in_viewport()
    message_box(page).fill("One\n" * 12)
    assert page.evaluate(AFTER_FRAMES)
    above, below = tools.bounding_box(), message_box(page).bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]

    message_box(page).fill(DRAFT)
    wrong = []
    for width, height in ((1280, 800), (400, 500)):
        page.set_viewport_size({"width": width, "height": height})
        for key in ("Shift+Tab", "Tab"):
            message_box(page).focus()
            if key == "Tab":
                page.evaluate("scrollTo(0, 0)")
                page.get_by_role("button", name="Edit").focus()
            seen = 0
            for _ in range(25):
                page.keyboard.press(key)
                if page.evaluate("Boolean(document.activeElement.closest('.log'))"):
                    seen += 1
                    if page.evaluate(COVERED):
                        wrong.append((width, key, seen))
            assert seen >= 20
    assert wrong == []


def test_page_stays_at_the_focused_part_while_a_reply_grows_and_ends(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    stop = page.get_by_role("button", name="Stop")
    for state in ("complete", "stopped"):
        message_box(page).fill(state)
        message_box(page).press("Enter")
        call = upstream.next_call().start_stream()
        call.delta("One [link](https://example.org/) and[^1] more.\n\n[^1]: Noted.\n")
        expect(reply_text(page)).to_contain_text("Noted.")
        link = reply_text(page).get_by_role("link", name="link")
        link.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        call.delta("\n\nLong." * 60)
        expect(page.get_by_role("button", name="New messages")).to_be_visible()
        expect(link).to_be_in_viewport()
        place = page.evaluate("scrollY")
        if state == "complete":
            call.complete()
        else:
            page.keyboard.press("Escape")
        expect(turn(page, state).last).to_be_visible()
        expect(stop).to_be_hidden()
        assert page.evaluate("document.activeElement.closest('.turn') !== null")
        assert page.evaluate("scrollY") == place

    send_message(page, "More")
    call = upstream.next_call().start_stream()
    call.delta("One")
    expect(reply_text(page)).to_have_text("One")
    message_box(page).fill("draft")
    page.keyboard.press("Escape")  # a draft: this leaves the box and does not stop the reply
    expect(message_box(page)).not_to_be_focused()
    for key in ("k", "k"):
        page.keyboard.press(key)
    stopped = turn(page, "stopped")
    expect(stopped).to_be_focused()
    call.delta(".\n\nMore" * 60)
    expect(page.get_by_role("button", name="New messages")).to_be_visible()
    expect(stopped.locator(".turn__content")).to_be_in_viewport()

    copy = page.get_by_role("button", name="Copy").first
    copy.focus()
    expect(copy).to_be_in_viewport()
    call.delta("\n\nLonger." * 60)
    expect(reply_text(page)).to_contain_text("Longer.")
    expect(copy).to_be_in_viewport()
    page.keyboard.press("s")
    expect(turn(page, "stopped", 1)).to_be_visible()
