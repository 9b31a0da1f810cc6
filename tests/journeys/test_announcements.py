"""What is heard of a page: each thing once, as it is read."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import begun, box, progress, talking, text, turn
from tests.journeys.window import SAYINGS
from tests.support.upstream import Upstream

LOOK_MS = 1_500


def test_sentences_are_announced_and_not_words(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One two")
    told = page.locator("#announcer")
    call.delta(" three. Four")
    expect(told).to_have_text("One two three.")
    call.delta(" five.")
    call.complete("One two three. Four five.")
    expect(told).to_have_text("Four five. The reply is complete.")
    expect(told).to_be_empty(timeout=10_000)


def test_what_is_announced_is_each_thing_once_as_it_is_read(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "Hello")
    call.complete("Hello to you")
    expect(page.locator("#announcer")).to_contain_text("Hello to you. The reply is complete.")
    page.evaluate(SAYINGS)
    box(page).fill("More")
    box(page).press("Enter")
    call = upstream.next_call().start_stream()
    told = page.locator("#announcer")
    expect(told).to_have_text("Ada has your message…")
    call.send_event(type="progress", progress={"stage": "thinking", "percent": 10})
    expect(told).to_have_text("Thinking…")
    call.delta("See **one** and [two")
    expect(text(page)).to_contain_text("two")
    call.delta("](https://x.example/). Then three\n\n- four\n- fi")
    expect(told).to_contain_text("four")
    rest = (
        "ve\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n\nEnd[^n].\n\n[^n]: A note.\n"
    )
    call.delta(rest)
    call.complete()
    expect(told).to_contain_text("The reply is complete.")

    said = " ".join(page.evaluate("said"))
    assert said == (
        "Ada has your message… Thinking… See one and two x.example. Then three. four. five. "
        "Table: a, b. 1, 2. Code: x = 1. End. 1: A note. The reply is complete."
    )


@pytest.mark.parametrize(
    ("deltas", "heard"),
    [
        (
            ["1. Sit down.\n   -", " On a chair. Or\n   - on a bench.\n2. Up.\n"],
            "1: Sit down. On a chair. Or. on a bench. 2: Up.",
        ),
        (
            ["- Take the train. It is fast. You", " can read.\n\n- Walk."],
            "Take the train. It is fast. You can read. Walk.",
        ),
        (
            ["Look. $$\n\\bar{x} = 1\n", "= y\n$$\n\nAnd so on."],
            "Look. bar (x) = 1 = y. And so on.",
        ),
        (["This is **bold. It", " goes** on. Yes."], "This is bold. It goes on. Yes."),
    ],
    ids=["a list that opens", "a list that becomes loose", "a formula", "emphasis"],
)
def test_nothing_is_lost_or_said_twice_however_a_reply_is_cut(
    context: BrowserContext, upstream: Upstream, deltas: list[str], heard: str
):
    page = begun(context, upstream)
    page.clock.install()
    page.reload()
    page.evaluate(SAYINGS)
    box(page).fill("More")
    box(page).press("Enter")
    call = upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    page.clock.run_for(LOOK_MS)
    for number, delta in enumerate(deltas):
        call.delta(delta)
        turn(page, "streaming").wait_for()
        if number:
            expect(text(page)).to_contain_text(delta.split()[-1].strip("$*\\"))
        page.clock.run_for(LOOK_MS)
    call.complete("".join(deltas))
    turn(page, "complete", 1).wait_for()
    page.clock.run_for(3 * LOOK_MS)

    said = " ".join(page.evaluate("said"))
    assert said == f"Ada has your message… {heard} The reply is complete."


def test_nothing_is_announced_to_those_who_do_not_want_it(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/preferences")
    page.get_by_role("group", name="Read replies out").get_by_label("Off").check()
    page.get_by_role("group", name="Enter key").get_by_label("line").check()
    page.get_by_role("button", name="Save").click()
    page.goto("/twins/ada")
    box(page).fill("Hello")
    box(page).press("Enter")
    box(page).type("you")
    box(page).press("Control+Enter")
    call = upstream.next_call().start_stream()
    assert call.body["content"] == "Hello\nyou"
    call.delta("One. Two")
    expect(text(page)).to_have_text("One. Two")
    call.complete("One. Two.")
    expect(text(page, "complete")).to_have_text("One. Two.")
    expect(progress(page)).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The reply is complete.")


def test_whoever_puts_away_what_they_edit_hears_so(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.get_by_role("button", name="Edit").click()
    expect(page.locator("#announcer")).to_contain_text("These are your words again.")
    page.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Escape")

    expect(page.locator("#announcer")).to_contain_text("You are not editing any more.")
    expect(box(page)).to_have_value("")


@pytest.mark.parametrize("way", ["Cancel", "Send"])
def test_a_draft_that_is_back_in_the_box_is_heard(
    context: BrowserContext, upstream: Upstream, way: str
):
    page = begun(context, upstream)
    box(page).fill("Draft")
    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    page.get_by_role("button", name=way).click()

    expect(page.locator("#announcer")).to_contain_text("Your draft is back in the box.")
    expect(box(page)).to_have_value("Draft")


def test_items_within_an_item_are_heard_apart(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "Hello")
    page.evaluate(SAYINGS)
    call.complete("- one\n  - inner a\n  - inner b\n- two\n")
    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")

    said = " ".join(page.evaluate("said"))
    assert "one: inner a. inner b. two." in said


def test_who_comes_back_to_a_running_reply_hears_what_is_new(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One. Two. Three. Fo")
    expect(page.locator("#announcer")).to_contain_text("Three.")
    address = page.url
    page.goto("/conversations")
    page.goto(address)
    page.evaluate(SAYINGS)
    call.complete("One. Two. Three. Four.")
    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")

    said = " ".join(page.evaluate("said"))
    assert "Four." in said
    assert "Three." not in said


def test_numbered_items_keep_their_numbers(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "Hello")
    page.evaluate(SAYINGS)
    call.complete("3. Mix:\n   1. flour\n   2. eggs\n4. Bake it.\n")
    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")

    assert "3: Mix: 1: flour. 2: eggs. 4: Bake it." in " ".join(page.evaluate("said"))
