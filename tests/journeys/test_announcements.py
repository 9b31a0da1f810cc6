"""Announcements of the live region: each part of a reply once, in reading order, and its end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.announcer import next_announcements, open_recorded_conversation, start_turn
from tests.journeys.window import RECORD_ANNOUNCEMENTS
from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.html import parse_html
from tests.support.page_steps import (
    choose_preference,
    message_box,
    open_streaming_conversation,
    progress,
    reply_text,
    send_message,
    turn,
)
from tests.support.traffic import CONVERSATION_URL, DelayedRequest
from tests.support.upstream import Upstream

FORGOTTEN_MS = 10_000
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
            "See one and two. Then three. four. five. "
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
        if " ".join(announced) != f"Ada has your message… {expected} The reply is complete.":
            wrong.append((name, announced))

    assert wrong == []


def test_announcer_reads_progress_whole_sentences_and_every_kind_of_end(
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

    call = start_turn(page, upstream)
    call.delta("It is so. Th")
    turn(page, "streaming").wait_for()
    assert next_announcements(page)[-1] == "It is so."
    call.delta("is i")
    expect(reply_text(page)).to_contain_text("This i")
    page.get_by_role("button", name="Stop").click()
    turn(page, "stopped").wait_for()
    assert next_announcements(page) == ["Stopped."]

    call = start_turn(page, upstream)
    call.delta("One")
    turn(page, "streaming").wait_for()
    call.close()
    turn(page, "interrupted").wait_for()
    assert "The reply was interrupted." in " ".join(next_announcements(page))

    call = start_turn(page, upstream)
    call.delta("One.")
    turn(page, "streaming").wait_for()
    next_announcements(page)
    call.complete("One. Two.")
    turn(page, "complete", 2).wait_for()
    send_message(page, "Sent before the end is announced")
    upstream.next_call().start_stream().complete("Three.")
    turn(page, "complete", 3).wait_for()
    announced = " ".join(next_announcements(page))
    assert "Two. The reply is complete." in announced
    assert announced.endswith("Three. The reply is complete.")


def test_source_and_messages_left_are_announced(context: BrowserContext, upstream: Upstream):
    page = open_recorded_conversation(context, upstream)
    send_message(page, "More")
    call = upstream.next_call()
    limits = {"x_ratelimit_limit": "500", "x_ratelimit_remaining": "3", "x_ratelimit_reset": "600"}
    call.send_head(200, content_type="text/event-stream", **limits)
    call.delta("It rises.")
    source = {"file": "bread.md", "heading": "Why bread rises", "passage": "It rises."}
    call.send_event(type="complete", message={"content": "It rises.", "sources": [source]})
    call.close()
    turn(page, "complete", 1).wait_for()

    expect(page.locator("[ai-disclosure]")).to_have_count(1)  # a quotation is not generated
    announced = " ".join(next_announcements(page))
    said = "It rises. Quoted from “Why bread rises” (bread.md). The reply is complete."
    assert f"{said} Together, everyone can send 3 more" in announced


def test_preferences_turn_off_announcements_of_text_and_sending_by_enter(
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


def test_page_reopened_during_a_reply_announces_only_new_text(
    context: BrowserContext, upstream: Upstream
):
    page = open_recorded_conversation(context, upstream)
    call = start_turn(page, upstream)
    call.delta("One. Two. Three. Fo")
    turn(page, "streaming").wait_for()
    assert "Three." in " ".join(next_announcements(page))
    address = page.url
    page.goto("/conversations")
    page.goto(address)
    page.evaluate(RECORD_ANNOUNCEMENTS)
    call.complete("One. Two. Three. Four.")
    turn(page, "complete", 1).wait_for()

    announced = " ".join(next_announcements(page))
    assert "Four." in announced
    assert "Three." not in announced


def complete_reply_before_page_load(page: Page, upstream: Upstream) -> None:
    """Send a message whose conversation page is delayed, and wait until its reply is complete."""
    message_box(page).fill("Hello")
    with page.expect_request(CONVERSATION_URL) as asked_for:
        page.keyboard.press("Enter")  # a click could wait for the delayed page
        upstream.next_call().start_stream().complete("Hello to you.")
    whole = parse_html(page.request.get(asked_for.value.url).text())
    page.request.get(f"/turns/{whole.select('.turn')[-1]['data-turn']}/events")  # to its end


@pytest.mark.parametrize("is_script_slow", [False, True])
def test_reply_that_ends_before_its_page_or_script_loads_is_announced(
    context: BrowserContext, upstream: Upstream, is_script_slow: bool
):
    page = context.new_page()
    page.goto("/twins/ada")
    page_load = DelayedRequest(page, CONVERSATION_URL)
    script_load = DelayedRequest(page, "**/conversation.js") if is_script_slow else None
    complete_reply_before_page_load(page, upstream)
    page_load.release()
    if script_load:
        expect(page.locator("html")).to_have_class(re.compile("scripts"))
        page.evaluate(WAIT_FOR_PAINT)
        script_load.release()

    expect(page.locator("#announcer")).to_have_text("Hello to you. The reply is complete.")
    expect(message_box(page)).to_be_focused()
