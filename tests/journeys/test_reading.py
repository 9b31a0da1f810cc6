"""Who reads while a reply is written stays where they are, by wheel, by finger and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from blueprints.current import Portal
from tests.journeys.conftest import Surprises
from tests.journeys.steps import LONG, begun, box, long_reply, say, talking, text, turn
from tests.journeys.window import step_up
from tests.support.history import converse, person_of
from tests.support.upstream import Upstream

LOW = {"width": 640, "height": 400}


@pytest.mark.parametrize("by", [30, 100, 400])
def test_one_step_up_is_enough_to_stay(context: BrowserContext, upstream: Upstream, by: int):
    page, call = long_reply(context, upstream)
    place = step_up(page, by)
    call.delta("\n\nMore and more.")

    expect(text(page)).to_contain_text("More and more.")
    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    assert page.evaluate("scrollY") == place
    call.complete()


AFTER_FRAMES = """() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))"""
GROW_AND_STEP_UP = """by => {
  document.querySelector(".turn__reply").append(Object.assign(
    document.createElement("p"), { textContent: "More and more." }));
  scrollBy(0, -by);
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    requestAnimationFrame(() => done(scrollY)))));
}"""


def test_a_step_up_counts_in_the_moment_in_which_the_reply_grows(
    context: BrowserContext, upstream: Upstream
):
    page, call = long_reply(context, upstream)
    place = page.evaluate("scrollY")

    assert page.evaluate(GROW_AND_STEP_UP, 300) < place - 200
    call.complete()


def test_who_writes_at_the_end_goes_on_seeing_it(context: BrowserContext, upstream: Upstream):
    page, call = long_reply(context, upstream)
    call.complete()
    tools = page.locator(".turn__foot .turn__tools")
    expect(tools).to_be_in_viewport()
    box(page).fill("One\n" * 12)

    assert page.evaluate(AFTER_FRAMES)
    above, below = tools.bounding_box(), box(page).bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]


DRAFT = "A line of a draft.\n" * 8
COVERED = """() => {
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  return Boolean(document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".composer"));
}"""


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 400, "height": 500}])
@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_a_high_box_covers_nothing_that_has_the_focus(
    context: BrowserContext, upstream: Upstream, size: dict[str, int], key: str
):
    page, call = talking(context, upstream, "One")
    call.complete("\n\n".join(f"See [link {n}](https://example.org/{n})." for n in range(30)))
    expect(turn(page, "complete")).to_be_visible()
    page.set_viewport_size(size)  # type: ignore[arg-type]
    box(page).fill(DRAFT)
    if key == "Tab":
        page.evaluate("scrollTo(0, 0)")
        page.get_by_role("button", name="Edit").focus()
    seen = 0
    for _ in range(25):
        page.keyboard.press(key)
        if page.evaluate("Boolean(document.activeElement.closest('.log'))"):
            seen += 1
            assert not page.evaluate(COVERED)
    assert seen >= 20


def test_who_goes_back_to_the_end_is_taken_along(context: BrowserContext, upstream: Upstream):
    page, call = long_reply(context, upstream)
    step_up(page, 300)
    call.delta("\n\nMore and more.")
    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    page.evaluate("scrollTo(0, 1e6)")
    expect(page.get_by_role("button", name="New text below")).to_be_hidden()
    call.delta("\n\nAnd more." * 20)

    expect(text(page).locator("p").last).to_be_in_viewport()
    call.complete()


def test_what_has_the_focus_in_the_reply_stays_in_sight(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    call.delta(" [link](https://example.org/).")
    link = text(page).get_by_role("link")
    link.focus()
    call.delta("\n\nLong." * 60)

    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    expect(link).to_be_in_viewport()
    call.complete()


@pytest.mark.parametrize("end", ["complete", "s"])
def test_who_is_in_a_reply_that_ends_stays_in_its_turn(
    context: BrowserContext, upstream: Upstream, end: str
):
    page, call = talking(context, upstream, "One")
    call.delta(" [link](https://example.org/) and[^1] more.\n\n[^1]: Noted.\n")
    expect(text(page)).to_contain_text("Noted.")
    text(page).get_by_role("link", name="link").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    call.delta("\n\nLong." * 60)
    expect(page.get_by_role("button", name="New text below")).to_be_visible()
    place = page.evaluate("scrollY")
    if end == "complete":
        call.complete()
    else:
        page.keyboard.press(end)
    expect(turn(page, {"complete": "complete", "s": "stopped"}[end])).to_be_visible()

    assert page.evaluate("document.activeElement.closest('.turn') !== null")
    assert page.evaluate("scrollY") == place


def test_who_has_pressed_something_in_a_reply_goes_on_typing_after_it(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    call.delta("\n\n```\ncode\n```\n\nTwo[^1]\n\n[^1]: Noted.\n")
    expect(text(page)).to_contain_text("Noted.")
    page.get_by_role("button", name="Copy code").click()
    call.complete()
    expect(turn(page, "complete")).to_be_visible()

    expect(box(page)).to_be_focused()


def test_an_earlier_page_has_all_that_scripts_do(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = begun(context, upstream)
    long = converse(portal.database, person_of(portal.database), 65)
    page.goto(f"/conversations/{long}?before=21")
    page.set_viewport_size({"width": 500, "height": 500})
    page.keyboard.press("?")

    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_way_to_new_text_leads_to_the_box(context: BrowserContext, upstream: Upstream):
    page, call = long_reply(context, upstream)
    step_up(page, 10_000)
    call.delta("\n\nMore and more.")
    newest = page.get_by_role("button", name="New text below")
    expect(newest).to_be_visible()
    newest.focus()
    page.keyboard.press("Enter")

    expect(text(page).locator("p").last).to_be_in_viewport()
    expect(box(page)).to_be_focused()
    call.complete()


def test_in_a_low_window_the_box_comes_to_its_words(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    say(page, "More")
    upstream.next_call().start_stream().complete(LONG)
    expect(turn(page, "complete", 1)).to_be_visible()
    page.set_viewport_size(LOW)  # type: ignore[arg-type]
    page.get_by_role("button", name="Edit").first.focus()
    page.keyboard.press("Enter")

    expect(box(page)).to_have_value("Hello")
    expect(box(page)).to_be_focused()
    expect(box(page)).to_be_in_viewport(ratio=1)


def test_what_cannot_be_copied_is_said(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = begun(context, upstream)
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You are offline.")
    page.evaluate("document.getElementById('notices').replaceChildren()")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#notices")).to_have_text("You are offline. Try again.")
    context.set_offline(False)

    expect(page.locator("#announcer")).to_have_text("You are online again.")
    surprises.clear()
