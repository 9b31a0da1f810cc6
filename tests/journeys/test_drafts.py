"""Words on their way, refused or left behind: none is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun, box, say, say_too_early, talking, text, turn
from tests.journeys.traffic import FORMS, Held
from tests.support.upstream import Upstream

# After a hundred frames at the latest.
KEPT_IN_THE_END = """() => new Promise((done) => {
  const look = (frames) => {
    if (localStorage.length && frames) requestAnimationFrame(() => look(frames - 1));
    else done(localStorage.length);
  };
  look(100);
})"""

# A twin's page is painted when it is left, and what it does then is done at once.
PAINTED_LATE = """if (location.pathname.startsWith("/twins/")) {
  const late = [];
  requestAnimationFrame = (act) => late.push(act);
  addEventListener("beforeunload", () => {
    setTimeout = (act) => act();
    while (late.length) late.shift()();
  });
}"""


def test_more_than_can_be_sent_is_kept_whole_and_said(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    words = "x" * 32_001 + " THE END"
    box(page).fill(words)
    expect(page.locator(".counter")).to_have_text("Over the limit by 9")
    box(page).press("Enter")

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("32,009 characters")
    expect(box(page)).to_have_value(words)
    assert all("413" in line for line in surprises)
    surprises.clear()
    assert upstream.sent_messages() == ["Hello"]


def test_what_is_too_much_is_counted_from_the_next_sign_on(context: BrowserContext):
    page = context.new_page()
    page.goto("/twins/ada")
    counter = page.locator(".counter")
    for words, told in (
        ("x" * 20, ""),
        ("x" * 31_999, "Characters left: 1"),
        ("x" * 32_001, "Over the limit by 1"),
        ("x" * 32_000, "Characters left: 0"),
        ("x" * 32_002, "Over the limit by 2"),
    ):
        box(page).fill(words)
        expect(counter).to_have_text(told)
        expect(counter).to_have_css("font-weight", "600" if "Over" in told else "400")


@pytest.mark.parametrize("then", [" two", "two"])
def test_what_is_sent_before_an_answer_came_stays_in_the_box(
    context: BrowserContext, upstream: Upstream, then: str
):
    page = begun(context, upstream)
    held = Held(page, FORMS)
    say(page, "one")
    expect(page.locator(".composer form")).to_have_class("htmx-request")
    say(page, f"one{then}" if then.startswith(" ") else then)
    held.release()
    upstream.next_call().start_stream().complete("One")

    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("two")
    page.reload()
    expect(box(page)).to_have_value("two")
    assert upstream.sent_messages() == ["Hello", "one"]


@pytest.mark.parametrize("rewritten", [False, True])
def test_what_is_typed_while_a_message_is_on_its_way_stays(
    context: BrowserContext, upstream: Upstream, *, rewritten: bool
):
    page = begun(context, upstream)
    held = Held(page, FORMS)
    say(page, "First")
    if rewritten:
        box(page).fill("Second")
    else:
        box(page).press("End")
        box(page).press_sequentially(" Second")
    held.release()

    upstream.next_call().start_stream().complete("One")
    expect(text(page, "complete", 1)).to_have_text("One")
    expect(box(page)).to_have_value("Second")
    page.reload()
    expect(box(page)).to_have_value("Second")
    assert upstream.sent_messages() == ["Hello", "First"]


@pytest.mark.parametrize(
    ("since", "kept"),
    [("First, and more", "First, and more"), ("Second", "First\n\nSecond"), ("", "First")],
    ids=["more", "others", "none"],
)
def test_no_words_are_lost_when_a_message_is_refused(
    context: BrowserContext, upstream: Upstream, surprises: Surprises, since: str, kept: str
):
    page, _call = talking(context, upstream)
    held = Held(page, FORMS)
    say_too_early(page, "First")
    box(page).fill(since)
    held.release()

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(page)).to_have_value(kept)
    page.reload()
    expect(box(page)).to_have_value(kept)
    assert all("409" in line for line in surprises)
    surprises.clear()


def test_what_is_sent_before_its_page_is_painted_is_no_draft(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.add_init_script(PAINTED_LATE)
    page.goto("/twins/ada")
    say(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")

    expect(page.locator("#announcer")).to_contain_text("The reply is complete.")
    assert page.evaluate(KEPT_IN_THE_END) == 0


def test_a_draft_outlives_a_way_to_begin_that_is_chosen(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("half a thought")
    page.get_by_role("button", name="How does a bicycle stay upright?").click()
    upstream.next_call().start_stream().complete("It steers")
    expect(turn(page, "complete")).to_be_visible()

    page.goto("/twins/ada")
    expect(box(page)).to_have_value("half a thought")


def test_each_window_keeps_what_was_typed_in_it(context: BrowserContext, upstream: Upstream):
    first = begun(context, upstream)
    second = context.new_page()
    second.goto(first.url)
    box(first).fill("in the first")
    box(second).fill("B")
    for page, words in ((first, "in the first"), (second, "B")):
        page.reload()
        expect(box(page)).to_have_value(words)
    third = context.new_page()
    third.goto(first.url)
    expect(box(third)).to_have_value("B")
    box(first).fill("")
    first.reload()
    expect(first.locator(".counter")).to_have_text("")
    expect(box(first)).to_have_value("")


def test_a_draft_that_comes_back_is_counted(context: BrowserContext):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("x" * 32_003)
    page.reload()

    expect(page.locator(".counter")).to_have_text("Over the limit by 3")
    expect(box(page)).to_have_attribute("aria-invalid", "true")


def test_enter_that_was_meant_for_stop_sends_no_draft(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    box(page).fill("half a dra")
    page.get_by_role("button", name="Stop").focus()
    call.complete("One")
    expect(box(page)).to_be_focused()
    page.keyboard.press("Enter")

    page.keyboard.press("End")
    page.keyboard.type("ft")
    page.keyboard.press("Enter")
    assert upstream.next_call().body["content"] == "half a draft"


def test_a_draft_goes_with_its_conversation_and_comes_back_with_it(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    address = page.url
    box(page).fill("half a thought")
    page.locator("summary[title^=Options]").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".note").first).to_contain_text("was deleted")
    assert page.evaluate(KEPT_IN_THE_END) == 0

    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".note").first).to_contain_text("is back")
    page.goto(address)
    expect(box(page)).to_have_value("half a thought")


def test_what_is_typed_while_the_first_message_is_on_its_way_comes_along(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    page.goto("/twins/ada")
    held = Held(page, FORMS)
    box(page).fill("Hello")
    box(page).press("Enter")
    box(page).press_sequentially(" and more")
    held.release()
    upstream.next_call().start_stream().complete("One")
    expect(turn(page, "complete")).to_be_visible()

    expect(box(page)).to_have_value("and more")
    assert upstream.sent_messages() == ["Hello"]


def test_a_way_to_begin_that_is_refused_leaves_the_draft_alone(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    upstream.answers["/api/v1/conversations"] = 429, {"error": "wait"}
    page = context.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    expect(turn(page, "failed")).to_be_visible()
    page.goto("/twins/ada")
    box(page).fill("half a thought")
    page.get_by_role("button", name="How does a bicycle stay upright?").click()

    expect(page.locator("#notices")).to_contain_text("too many requests")
    expect(box(page)).to_have_value("half a thought")
    surprises.clear()  # the refusal itself
