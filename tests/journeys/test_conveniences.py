"""What a page does for people who talk: it keeps, copies, repeats, announces, and stays put."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import begun, turn
from tests.journeys.steps import box, progress, say, talking, text
from tests.upstream import Upstream

CODE = "Look:\n\n```python\nprint('<a>')\n```\n"
LOOK_MS = 1_500
LONG = "\n\n".join(f"Paragraph {number}." for number in range(60))


def answered(context: BrowserContext, upstream: Upstream, reply: str) -> Page:
    page, call = talking(context, upstream, "One")
    call.complete(reply)
    expect(turn(page, "complete")).to_be_visible()
    return page


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_reply_is_copied_as_it_was_written_and_its_code_as_code(
    context: BrowserContext, upstream: Upstream
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = answered(context, upstream, CODE)

    for place, words in ((".turn__tools", CODE), (".code", "print('<a>')\n")):
        button = page.locator(f"{place} [data-copy]")
        button.click()
        expect(button).to_have_text("Copied")
        expect(page.locator("#announcer")).to_contain_text("Copied")
        assert clipboard(page) == words
        expect(button).to_have_text("Copy")


def test_a_message_is_asked_again_as_a_new_one(context: BrowserContext, upstream: Upstream):
    page = answered(context, upstream, "First")
    for number in (2, 3):
        page.get_by_role("button", name="Ask again").last.click()
        call = upstream.next_call().begin()
        assert call.body["content"] == "Hello"
        call.complete(f"Answer {number}")
        expect(text(page, "complete", number - 1)).to_have_text(f"Answer {number}")

    sent = [call for call in upstream.calls if call.path.endswith("/stream")]
    keys = {call.headers["Idempotency-Key"] for call in sent}
    assert len(keys) == 3


def test_words_come_back_to_be_edited(context: BrowserContext, upstream: Upstream):
    page = answered(context, upstream, "First")
    page.get_by_role("link", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    expect(box(page)).to_be_focused()

    box(page).fill("Hello you")
    box(page).press("Enter")
    upstream.next_call().begin().complete("Second")
    expect(text(page, "complete", 1)).to_have_text("Second")
    expect(page.locator(".turn__said")).to_have_count(2)


def test_words_come_back_to_be_edited_without_scripts(plain: BrowserContext, upstream: Upstream):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    upstream.next_call().begin().complete("First")
    expect(turn(page, "complete")).to_be_visible()

    page.get_by_role("link", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    expect(page.get_by_text("the earlier one stays")).to_be_visible()
    page.get_by_role("button", name="Ask again").click()
    upstream.next_call().begin().complete("Second")
    expect(text(page, "complete", 1)).to_have_text("Second")


def test_a_draft_is_kept_for_each_place_until_it_is_sent(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("Half a thou")
    page.goto("/")
    page.goto("/twins/ada")
    expect(box(page)).to_have_value("Half a thou")
    page.get_by_role("button", name="Send").click()
    call = upstream.next_call().begin()
    call.complete("Yes")
    expect(turn(page, "complete")).to_be_visible()
    expect(box(page)).to_have_value("")

    box(page).fill("More")
    page.reload()
    expect(box(page)).to_have_value("More")
    box(page).press("Enter")
    upstream.next_call().begin().complete("Yes")
    expect(turn(page, "complete", 1)).to_be_visible()
    page.reload()
    expect(box(page)).to_have_value("")
    page.goto("/twins/ada")
    expect(box(page)).to_have_value("")

    page.go_back()
    box(page).fill("Once")
    box(page).press("Enter")
    upstream.next_call().begin().complete("Yes")
    expect(turn(page, "complete", 2)).to_be_visible()
    box(page).fill("Twice")
    page.goto("/twins/ada")
    page.go_back()
    expect(box(page)).to_have_value("Twice")


def test_whoever_reads_above_is_left_there_and_led_to_what_is_new(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    call.delta(f"\n\n{LONG}")
    expect(text(page)).to_contain_text("Paragraph 59.")
    newest = page.get_by_role("button", name="New text below")
    expect(newest).to_be_hidden()
    page.evaluate("scrollTo(0, 600)")
    expect(page.locator(".turn__reply p").nth(12)).to_be_in_viewport()
    place = page.evaluate("scrollY")
    call.delta("\n\nMore and more.")

    expect(newest).to_be_visible()
    assert page.evaluate("scrollY") == place
    newest.click()
    expect(page.locator(".turn__reply p").last).to_be_in_viewport()
    expect(newest).to_be_hidden()
    call.complete()


def test_sentences_are_announced_and_not_words(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One two")
    told = page.locator("#announcer")
    call.delta(" three. Four")
    expect(told).to_have_text("One two three.")
    call.delta(" five.")
    call.complete("One two three. Four five.")
    expect(told).to_have_text("Four five. The reply is complete.")
    expect(told).to_be_empty(timeout=10_000)


SAYINGS = """() => {
  globalThis.said = [];
  const look = () => { if (announcer.textContent) said.push(announcer.textContent); };
  new MutationObserver(look).observe(announcer, { childList: true });
}"""


def test_what_is_announced_is_each_thing_once_as_it_is_read(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    expect(page.locator("#announcer")).to_have_text("Hello to you. The reply is complete.")
    page.evaluate(SAYINGS)
    box(page).fill("More")
    box(page).press("Enter")
    call = upstream.next_call().begin()
    told = page.locator("#announcer")
    expect(told).to_have_text("Ada has your message…")
    call.send(type="progress", progress={"stage": "thinking", "percent": 10})
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
        "Ada has your message… Thinking… See one and two x.example. Then three four five "
        "a, b 1, 2 x = 1 End. 1 A note. The reply is complete."
    )


@pytest.mark.parametrize(
    ("deltas", "heard"),
    [
        (
            ["1. Sit down.\n   -", " On a chair. Or\n   - on a bench.\n2. Up.\n"],
            "Sit down. On a chair. Or on a bench. Up.",
        ),
        (
            ["- Take the train. It is fast. You", " can read.\n\n- Walk."],
            "Take the train. It is fast. You can read. Walk.",
        ),
        (["Look. $$\n\\bar{x} = 1\n", "= y\n$$\n\nAnd so on."], "Look. Formula And so on."),
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
    call = upstream.next_call().begin()
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


def test_a_reply_that_did_not_come_to_its_end_says_so(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    call.finish()
    expect(page.locator("#announcer")).to_contain_text("The reply was cut off.")


def test_what_has_been_announced_is_not_said_again_when_the_reply_is_stopped(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One two three. Four")
    told = page.locator("#announcer")
    expect(told).to_have_text("One two three.")
    page.get_by_role("button", name="Stop").click()
    expect(turn(page, "stopped")).to_be_visible()
    assert call.wait_for_hangup()
    say(page, "Go on")
    upstream.next_call().begin().complete("Five.")

    expect(told).to_contain_text("Five. The reply is complete.")


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
    call = upstream.next_call().begin()
    assert call.body["content"] == "Hello\nyou"
    call.delta("One. Two")
    expect(text(page)).to_have_text("One. Two")
    call.complete("One. Two.")
    expect(text(page, "complete")).to_have_text("One. Two.")
    expect(progress(page)).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The reply is complete.")
