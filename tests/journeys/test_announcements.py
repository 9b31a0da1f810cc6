"""Announcements of the live region: each part of a reply once, in reading order."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.announcer import next_announcements, open_recorded_conversation, start_turn
from tests.journeys.steps import (
    choose_preference,
    message_box,
    open_streaming_conversation,
    progress,
    reply_text,
    turn,
)
from tests.support.upstream import Upstream

FORGOTTEN_MS = 10_000
LOST_CONNECTION = "Connection lost. Reconnecting…"
LINK_LIST_TABLE_CODE_NOTE = [
    "See **one** and [two",
    "](https://x.example/). Then three\n\n- four\n- fi",
    "ve\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n\nEnd[^n].\n\n[^n]: A note.\n",
]
# Cases: the deltas of a reply, its final text if it differs, and the announcements.
# The end of a reply replaces its text only if both begin alike.
START = "Well, all of these words stay as they are when the reply ends, every single one of them."
REPLIES = {
    "each kind of block": (
        LINK_LIST_TABLE_CODE_NOTE,
        None,
        (
            "See one and two x.example. Then three. four. five. "
            "Table: a, b. 1, 2. Code: x = 1. End. n: A note."
        ),
    ),
    "list that opens": (
        ["1. Sit down.\n   -", " On a chair. Or\n   - on a bench.\n2. Up.\n"],
        None,
        "1: Sit down. On a chair. Or. on a bench. 2: Up.",
    ),
    "list that becomes loose": (
        ["- Take the train. It is fast. You", " can read.\n\n- Walk."],
        None,
        "Take the train. It is fast. You can read. Walk.",
    ),
    "formula": (
        ["Look. $$\n\\bar{x} = 1\n", "= y\n$$\n\nAnd so on."],
        None,
        "Look. bar (x) = 1 = y. And so on.",
    ),
    "emphasis": (
        ["This is **bold. It", " goes** on. Yes."],
        None,
        "This is bold. It goes on. Yes.",
    ),
    "nested items": (
        [],
        "- one\n  - inner a\n  - inner b\n- two\n",
        "one: inner a. inner b. two.",
    ),
    "numbered items": (
        [],
        "3. Mix:\n   1. flour\n   2. eggs\n4. Bake it.\n",
        "3: Mix: 1: flour. 2: eggs. 4: Bake it.",
    ),
    "empty last cell": (
        [],
        "| a | b |\n|---|---|\n| one | |\n| two | three |",
        "Table: a, b. one. two, three.",
    ),
    "paragraph that ends differently": (
        [START, " One. Two. Thr"],
        f"{START} One. Four. Two.",
        f"{START} One. Two. Four.",
    ),
    "paragraphs that end differently": (
        [START, "\n\nOne.\n\nTwo. Thr"],
        f"{START}\n\nFour.\n\nTwo.\n\nOne. Five.",
        f"{START} One. Two. Four. Five.",
    ),
    "paragraphs of which the first stays": (
        [START, "\n\nOne.\n\nTwo. Thr"],
        f"{START}\n\nSix.\n\nTwo. Three.",
        f"{START} One. Two. Six. Three.",
    ),
    "list that ends differently": (
        [START, "\n\n- One.\n- Two.\n- Thr"],
        f"{START}\n\n1. One!\n2. Six.\n",
        f"{START} One. Two. 1: One! 2: Six.",
    ),
    "sign that ends differently": (
        [START, " Two. It is -5. Go"],
        f"{START} Two. It is 5. Go.",
        f"{START} Two. It is -5. It is 5. Go.",
    ),
}


def test_each_part_of_a_reply_is_announced_once(context: BrowserContext, upstream: Upstream):
    page = open_recorded_conversation(context, upstream)
    wrong = []
    for number, (name, (deltas, whole, expected)) in enumerate(REPLIES.items(), 1):
        call = start_turn(page, upstream)
        announced = next_announcements(page)
        for delta in deltas:
            call.delta(delta)
            turn(page, "streaming").wait_for()
            if delta != deltas[0]:
                expect(reply_text(page)).to_contain_text(delta.split()[-1].strip("$*\\"))
            announced += next_announcements(page)
        call.complete(whole or "".join(deltas))
        turn(page, "complete", number).wait_for()
        announced += next_announcements(page)
        # On a slow machine, the stream may count as lost because the clock was advanced.
        announced = [words for words in announced if words != LOST_CONNECTION]
        if " ".join(announced) != f"Ada has your message… {expected} The reply is complete.":
            wrong.append((name, announced))

    assert wrong == []


def test_announcer_reads_progress_and_whole_sentences_and_is_then_cleared(
    context: BrowserContext, upstream: Upstream
):
    page = open_recorded_conversation(context, upstream)
    call = start_turn(page, upstream)
    assert next_announcements(page) == ["Ada has your message…"]
    call.send_event(type="progress", progress={"stage": "thinking", "percent": 10})
    expect(progress(page)).to_contain_text("Thinking…")
    assert next_announcements(page) == ["Thinking… 10%"]
    for delta, shown, announced in (
        ("One two", "One two", []),
        (" three. Four", "One two three. Four", ["One two three."]),
        (" five.", "One two three. Four five.", []),
    ):
        call.delta(delta)
        expect(reply_text(page)).to_have_text(shown)
        assert next_announcements(page) == announced, delta
    call.complete()
    turn(page, "complete", 1).wait_for()
    assert next_announcements(page) == ["Four five. The reply is complete."]
    page.clock.run_for(FORGOTTEN_MS)
    expect(page.locator("#announcer")).to_be_empty()


def test_reply_text_is_not_announced_if_the_preference_is_off(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/preferences")
    choose_preference(page, "Screen reader announcements", "Off")
    choose_preference(page, "Press Enter to", "line")
    page.goto("/twins/ada")
    message_box(page).fill("Hello")
    message_box(page).press("Enter")
    message_box(page).type("you")
    message_box(page).press("Control+Enter")
    call = upstream.next_call().start_stream()
    assert call.body["content"] == "Hello\nyou"
    call.delta("One. Two")
    expect(reply_text(page)).to_have_text("One. Two")
    call.complete("One. Two.")
    expect(reply_text(page, "complete")).to_have_text("One. Two.")
    expect(progress(page)).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The reply is complete.")


@pytest.mark.usefixtures("bad_network")
def test_announcements_and_notices_are_in_an_open_dialog(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream)
    page.get_by_role("button", name="Stop").focus()
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Search")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    call.complete("One two.")
    expect(dialog.locator("#announcer")).to_contain_text("The reply is complete.")
    context.set_offline(True)
    expect(dialog.get_by_role("alert")).to_contain_text("You're offline.")
    context.set_offline(False)
    page.keyboard.press("Escape")

    expect(dialog).to_have_count(0)
    expect(page.locator("header > #notices, #announcer")).to_have_count(2)


def test_reply_is_announced_in_its_own_language(context: BrowserContext, upstream: Upstream):
    context.set_extra_http_headers({"Accept-Language": "de"})
    page = open_recorded_conversation(context, upstream)
    announcer = page.locator("#announcer")
    page.locator("#message").fill("What is this, and how does it work?")
    page.locator("#message").press("Enter")
    call = upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    page.clock.run_for(1_500)
    expect(announcer).to_contain_text("Ada")
    expect(announcer).to_have_attribute("lang", "de")
    call.delta("It spins. And")
    expect(reply_text(page)).to_have_text("It spins. And")
    expect(reply_text(page)).to_have_attribute("lang", "en")
    page.clock.run_for(1_500)
    expect(announcer).to_have_text("It spins.")
    expect(announcer).to_have_attribute("lang", "en")
    call.delta(" la roue est dans le vélo.")
    call.complete()
    expect(turn(page, "complete", 1).locator(".turn__reply")).to_have_attribute("lang", "fr")
