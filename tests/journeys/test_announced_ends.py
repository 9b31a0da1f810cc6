"""What is heard of a reply at its end, however it ends."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import begun, box, say, talking, text, turn
from tests.journeys.traffic import CONVERSATION, Held
from tests.journeys.window import SAYINGS
from tests.support.html import read
from tests.support.upstream import Upstream


@pytest.mark.fault("F14")
@pytest.mark.parametrize(
    ("came", "whole", "rest"),
    [
        (" One. Two. Thr", "Well. One. Four. Two.", "Four."),
        ("\n\nOne.\n\nTwo. Thr", "Four.\n\nTwo.\n\nOne. Five.", "Four. Five."),
        ("\n\nOne.\n\nTwo. Thr", "Well.\n\nSix.\n\nTwo. Three.", "Six. Three."),
        ("\n\n- One.\n- Two.\n- Thr", "Well.\n\n1. One!\n2. Six.\n", "1: One! 2: Six."),
        (" Two. It is -5. Go", "Well. Two. It is 5. Go.", "It is 5. Go."),
    ],
    ids=["in a paragraph", "in paragraphs", "after the first", "in a list", "by a sign"],
)
def test_of_an_end_that_differs_what_was_not_heard_is_heard(
    context: BrowserContext, upstream: Upstream, came: str, whole: str, rest: str
):
    page, call = talking(context, upstream, "Well.")
    call.delta(came)
    expect(page.locator("#announcer")).to_contain_text("Two.")
    page.evaluate(SAYINGS)
    call.complete(whole)
    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")

    assert page.evaluate("said.at(-1)") == f"{rest} The reply is complete."


def test_a_reply_that_did_not_come_to_its_end_says_so(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    call.close()
    expect(page.locator("#announcer")).to_contain_text("The reply was cut off.")


def test_what_has_been_announced_is_not_said_again_when_the_reply_is_stopped(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One two three. Four")
    told = page.locator("#announcer")
    expect(told).to_have_text("One two three.")
    page.get_by_role("button", name="Stop").click()
    expect(turn(page, "stopped")).to_be_visible()
    assert call.wait_for_disconnect()
    say(page, "Go on")
    upstream.next_call().start_stream().complete("Five.")

    expect(told).to_contain_text("Five. The reply is complete.")


def test_half_a_sentence_is_not_read_out_when_a_reply_is_stopped(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "It is so. Th")
    expect(page.locator("#announcer")).to_contain_text("It is so.")
    call.delta("is i")
    expect(text(page)).to_contain_text("This i")
    page.evaluate(SAYINGS)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#announcer")).to_contain_text("You stopped this reply.")

    assert "i." not in " ".join(page.evaluate("said"))


def test_the_end_of_a_reply_is_heard_when_the_next_message_is_sent_at_once(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One.")
    page.evaluate(SAYINGS)
    call.complete("One. Two.")
    expect(turn(page, "complete")).to_be_visible()
    say(page, "More")
    upstream.next_call().start_stream().complete("Three.")
    expect(page.locator("#announcer")).to_contain_text("Three. The reply is complete.")

    assert "Two. The reply is complete." in " ".join(page.evaluate("said"))


def test_a_reply_that_is_there_before_its_page_is_heard_and_one_goes_on_typing(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    held = Held(page, CONVERSATION)
    with page.expect_request(CONVERSATION) as asked_for:
        say(page, "Hello")
        upstream.next_call().start_stream().complete("Hello to you.")
    whole = read(context.request.get(asked_for.value.url).text())
    context.request.get(f"/turns/{whole.select('.turn')[-1]['data-turn']}/events")  # to its end
    held.release()

    expect(page.locator("#announcer")).to_have_text("Hello to you. The reply is complete.")
    expect(box(page)).to_be_focused()


def test_a_long_reply_that_comes_at_once_is_heard_in_sayings_that_one_can_leave(
    context: BrowserContext, upstream: Upstream
):
    sentences = [f"Sentence {number} is 3.14 words long, or so it seems." for number in range(60)]
    page = begun(context, upstream)
    page.evaluate(SAYINGS)
    say(page, "More")
    upstream.next_call().start_stream().complete("\n\n".join(sentences))
    expect(page.locator("#announcer")).to_contain_text("Sentence 59 is", timeout=15_000)
    said = page.evaluate("said")

    assert " ".join(said).count("Sentence") == len(sentences)
    assert " ".join(sentences) in " ".join(said)
    assert max(map(len, said)) < 700


def test_a_passage_without_stops_is_heard_in_parts_and_what_follows_it_apart(
    context: BrowserContext, upstream: Upstream
):
    passage = "beautiful things are here " * 60
    sentences = [f"See a{number}.example.org for more." for number in range(60)]
    page = begun(context, upstream)
    page.evaluate(SAYINGS)
    say(page, "More")
    upstream.next_call().start_stream().complete(f"{passage}\n\n{' '.join(sentences)}")
    expect(page.locator("#announcer")).to_contain_text("a59.example.org", timeout=15_000)
    said = page.evaluate("said")

    assert max(map(len, said)) < 700
    heard = [word.strip(".") for word in " ".join(said).split()]
    assert [heard.count(word) for word in ("beautiful", "things", "are", "here")] == [60] * 4
    assert all(any(sentence in words for words in said) for sentence in sentences)


def test_a_row_whose_last_cell_is_empty_ends_like_others(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    page.evaluate(SAYINGS)
    say(page, "More")
    upstream.next_call().start_stream().complete("| a | b |\n|---|---|\n| one | |\n| two | three |")
    expect(page.locator("#announcer")).to_contain_text("three.")

    assert "Table: a, b. one. two, three." in " ".join(page.evaluate("said"))
