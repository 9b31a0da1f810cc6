"""What a page does for people who talk: it keeps, copies, repeats, and stays put."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import box, say, talking, text, turn
from tests.support.upstream import Upstream

CODE = "Look:\n\n```python\nprint('<a>')\n```\n"
LONG = "\n\n".join(f"Paragraph {number}." for number in range(60))


def answered(context: BrowserContext, upstream: Upstream, reply: str) -> Page:
    page, call = talking(context, upstream, "One")
    call.complete(reply)
    expect(turn(page, "complete")).to_be_visible()
    return page


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


ZONE = """() => new Promise((known) => {
  const look = () =>
    document.cookie.includes("zone=") ? known(document.cookie) : setTimeout(look, 20);
  look();
})"""


def test_times_are_by_the_readers_clock_from_the_second_page_on(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    clock = {"timezoneId": "Pacific/Kiritimati"}
    context.new_cdp_session(page).send("Emulation.setTimezoneOverride", clock)
    page.goto("/twins/ada")
    assert "zone=Pacific/Kiritimati" in page.evaluate(ZONE)
    say(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")
    expect(turn(page, "complete")).to_be_visible()

    time = page.locator(".turn time")
    there = datetime.fromisoformat(str(time.get_attribute("datetime"))).astimezone(
        ZoneInfo("Pacific/Kiritimati")
    )
    shown = re.sub(r"\s", " ", time.inner_text())
    assert shown == f"{there:%I:%M %p}".lstrip("0")


def test_a_reply_is_copied_as_it_was_written_and_its_code_as_code(
    context: BrowserContext, upstream: Upstream
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = answered(context, upstream, CODE)
    expect(page.locator(".code [data-copy]")).to_have_accessible_name("Copy code python")

    for place, words in ((".turn__tools", CODE), (".code", "print('<a>')\n")):
        button = page.locator(f"{place} [data-copy]")
        button.click()
        expect(button).to_have_text("Copied")
        expect(page.locator("#announcer")).to_contain_text("Copied")
        assert clipboard(page) == words
        expect(button).to_have_text("Copy")


def test_nothing_is_copied_that_is_no_reply(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = answered(context, upstream, "First")
    page.evaluate("navigator.clipboard.writeText('mine')")
    page.evaluate(
        "() => { window.selected = new Promise("
        "done => document.addEventListener('selectionchange', done, { once: true })) }"
    )
    context.clear_cookies()
    page.get_by_role("button", name="Copy").click()

    assert "First" in page.evaluate("() => window.selected.then(() => String(getSelection()))")
    assert clipboard(page) == "mine"
    assert all("404" in line for line in surprises)
    surprises.clear()


def test_a_reply_is_shown_as_text_without_scripts(plain: BrowserContext, upstream: Upstream):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    upstream.next_call().start_stream().complete(CODE)
    expect(turn(page, "complete")).to_be_visible()

    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.get_by_role("button", name="As text").click()
    expect(page.locator("body")).to_have_text(CODE)


def test_a_message_is_asked_again_as_a_new_one(context: BrowserContext, upstream: Upstream):
    page = answered(context, upstream, "First")
    for number in (2, 3):
        page.get_by_role("button", name="Ask again").last.click()
        call = upstream.next_call().start_stream()
        assert call.body["content"] == "Hello"
        call.complete(f"Answer {number}")
        expect(text(page, "complete", number - 1)).to_have_text(f"Answer {number}")

    sent = [call for call in upstream.calls if call.path.endswith("/stream")]
    keys = {call.headers["Idempotency-Key"] for call in sent}
    assert len(keys) == 3


def test_words_come_back_to_be_edited(context: BrowserContext, upstream: Upstream):
    page = answered(context, upstream, "First")
    page.get_by_role("button", name="Edit").press("Space")
    expect(box(page)).to_have_value("Hello")
    expect(box(page)).to_be_focused()

    box(page).fill("Hello you")
    box(page).press("Enter")
    upstream.next_call().start_stream().complete("Second")
    expect(text(page, "complete", 1)).to_have_text("Second")
    expect(page.locator(".turn__said")).to_have_count(2)


def test_words_come_back_to_be_edited_without_scripts(plain: BrowserContext, upstream: Upstream):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    upstream.next_call().start_stream().complete("First")
    expect(turn(page, "complete")).to_be_visible()

    page.get_by_role("button", name="Edit").click()
    expect(box(page)).to_have_value("Hello")
    expect(page.get_by_text("the earlier one stays")).to_be_visible()
    page.get_by_role("button", name="Ask again").click()
    upstream.next_call().start_stream().complete("Second")
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
    call = upstream.next_call().start_stream()
    call.complete("Yes")
    expect(turn(page, "complete")).to_be_visible()
    expect(box(page)).to_have_value("")

    box(page).fill("More")
    page.reload()
    expect(box(page)).to_have_value("More")
    box(page).press("Enter")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete", 1)).to_be_visible()
    page.reload()
    expect(box(page)).to_have_value("")
    page.goto("/twins/ada")
    expect(box(page)).to_have_value("")

    page.go_back()
    box(page).fill("Once")
    box(page).press("Enter")
    upstream.next_call().start_stream().complete("Yes")
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
    expect(text(page).get_by_text("Paragraph 59.")).to_be_in_viewport()
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
