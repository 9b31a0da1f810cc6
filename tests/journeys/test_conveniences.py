"""Conveniences of a conversation: local times, copying, asking again, and drafts."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.steps import (
    message_box,
    open_conversation,
    open_menu,
    open_streaming_conversation,
    reply_text,
    send_message,
    turn,
    wait_until_settled,
)
from tests.journeys.traffic import wait_on_page
from tests.support.upstream import Upstream

LATER_MS = 10_000
CODE = "Look:\n\n```python\nprint('<a>')\n```\n"


def open_answered_conversation(context: BrowserContext, upstream: Upstream, reply: str) -> Page:
    page, call = open_streaming_conversation(context, upstream, reply.split()[0])
    call.complete(reply)
    expect(turn(page, "complete")).to_be_visible()
    return page


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def wait_for_zone(page: Page, zone: str) -> None:
    wait_on_page(page, lambda: f"zone={zone}" in page.evaluate("document.cookie"))


def test_times_are_shown_in_the_time_zone_of_the_browser(
    context: BrowserContext, upstream: Upstream
):
    page = context.new_page()
    session = context.new_cdp_session(page)
    for zone in ("Asia/Seoul", "Asia/Tokyo", "Pacific/Kiritimati"):
        session.send("Emulation.setTimezoneOverride", {"timezoneId": zone})
        page.goto("/twins/ada")
        wait_for_zone(page, zone)
    context.clear_cookies(name="zone")
    page.reload()
    wait_for_zone(page, "Pacific/Kiritimati")
    send_message(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")
    expect(turn(page, "complete")).to_be_visible()

    time = page.locator(".turn time")
    there = datetime.fromisoformat(str(time.get_attribute("datetime"))).astimezone(
        ZoneInfo("Pacific/Kiritimati")
    )
    shown = re.sub(r"\s", " ", time.inner_text())
    assert shown == f"{there:%I:%M %p}".lstrip("0")


RICH_TEXT = """async () => {
  const [item] = await navigator.clipboard.read();
  return (await item.getType("text/html")).text();
}"""


def test_copied_reply_is_rich_text_without_the_hosts_of_links(
    context: BrowserContext, upstream: Upstream
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    reply = "See **the** [docs](https://docs.example.org/x)."
    page = open_answered_conversation(context, upstream, reply)

    page.locator(".turn__actions [data-copy=text]").click()
    expect(page.locator("#announcer")).to_contain_text("Copied")
    rich_text = page.evaluate(RICH_TEXT)
    page.evaluate(
        "getSelection().selectAllChildren([...document.querySelectorAll('.turn__reply')].at(-1))"
    )
    page.keyboard.press("Control+c")

    assert "<strong>the</strong>" in rich_text
    assert ">docs</a>" in rich_text
    assert clipboard(page).strip() == "See the docs."


def test_link_of_a_reply_is_copied(context: BrowserContext, upstream: Upstream):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_answered_conversation(context, upstream, "Hello.")
    turn = page.locator(".turn").get_attribute("id")

    page.get_by_role("link", name="Link").click()

    expect(page.locator("#announcer")).to_contain_text("Copied")
    assert clipboard(page) == f"{page.url}#{turn}"


def test_copy_button_copies_reply_as_markdown_and_code_block_as_code(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_answered_conversation(context, upstream, CODE)
    expect(page.locator(".code [data-copy]")).to_have_accessible_name("Copy code python")
    page.clock.install()
    # Without a reload, the timers of the page would use the real clock.
    page.reload()
    for place, label, words in (
        (".turn__actions [data-copy=text]", ".needs-script .icon-label", CODE),
        (".code [data-copy]", "", "print('<a>')\n"),
    ):
        button = page.locator(place)
        shown = button.locator(label) if label else button
        box = button.bounding_box()
        button.click()
        expect(shown).to_have_text("Copied")
        assert button.bounding_box() == box or not label  # or its neighbours move under the pointer
        expect(shown).to_be_in_viewport()
        expect(page.locator("#announcer")).to_contain_text("Copied")
        assert clipboard(page) == words
        page.clock.fast_forward(LATER_MS)
        expect(shown).to_have_text("Copy")

    copy = page.locator(".turn__actions [data-copy=text]")
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You're offline.")
    page.evaluate("document.getElementById('notices').replaceChildren()")
    copy.click()
    expect(page.locator("#notices")).to_have_text("You're offline. Try again.")
    context.set_offline(False)
    expect(page.locator("#announcer")).to_contain_text("You're back online.")

    page.evaluate("navigator.clipboard.writeText('mine')")
    page.evaluate("getSelection().removeAllRanges()")
    context.clear_cookies()
    copy.click()
    wait_on_page(page, lambda: "Look:" in page.evaluate("String(getSelection())"))
    assert clipboard(page) == "mine"
    assert [line for line in page_errors if "404" not in line and "DISCONNECTED" not in line] == []
    page_errors.clear()


def test_ask_again_and_edit_send_new_messages(context: BrowserContext, upstream: Upstream):
    page = open_answered_conversation(context, upstream, "First")
    for number in (2, 3):
        page.get_by_role("button", name="Try again").last.click()
        call = upstream.next_call().start_stream()
        assert call.body["content"] == "Hello"
        call.complete(f"Answer {number}")
        expect(reply_text(page, "complete", number - 1)).to_have_text(f"Answer {number}")
    sent = [call for call in upstream.calls if call.path.endswith("/stream")]
    assert len({call.headers["Idempotency-Key"] for call in sent}) == 3

    page.get_by_role("button", name="Edit").first.press("Space")
    expect(message_box(page)).to_have_value("Hello")
    expect(message_box(page)).to_be_focused()
    message_box(page).fill("Hello you")
    message_box(page).press("Enter")
    upstream.next_call().start_stream().complete("Second")
    expect(reply_text(page, "complete", 3)).to_have_text("Second")
    expect(page.locator(".turn__content")).to_have_count(4)


def test_draft_is_kept_per_page_until_it_is_sent(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    page.goto("/twins/ada")
    message_box(page).fill("Half a thou")
    page.goto("/")
    page.goto("/twins/ada")
    expect(message_box(page)).to_have_value("Half a thou")
    page.get_by_role("button", name="Send").click()
    call = upstream.next_call().start_stream()
    call.complete("Yes")
    expect(turn(page, "complete")).to_be_visible()
    expect(message_box(page)).to_have_value("")
    wait_until_settled(page)  # from now on, the script of the page saves typed text

    message_box(page).fill("More")
    page.reload()
    expect(message_box(page)).to_have_value("More")
    message_box(page).press("Enter")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete", 1)).to_be_visible()
    page.reload()
    expect(message_box(page)).to_have_value("")
    page.goto("/twins/ada")
    expect(message_box(page)).to_have_value("")

    page.go_back()
    message_box(page).fill("Once")
    message_box(page).press("Enter")
    upstream.next_call().start_stream().complete("Yes")
    expect(turn(page, "complete", 2)).to_be_visible()
    message_box(page).fill("Twice")
    page.goto("/twins/ada")
    page.go_back()
    expect(message_box(page)).to_have_value("Twice")


def test_language_is_applied_at_once_and_the_focus_stays(context: BrowserContext):
    page = context.new_page()
    page.goto("/preferences")
    page.get_by_role("radio", name="Deutsch").check()
    expect(page.get_by_role("heading", level=1)).to_have_text("Einstellungen")
    expect(page.get_by_role("radio", name="Deutsch")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Gespeichert.")


def test_notice_of_an_action_lies_above_the_page_until_it_is_closed(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    before = page.locator(".composer form").bounding_box()
    open_menu(page, "Hello")
    page.get_by_role("button", name="Pin").click()
    notice = page.get_by_role("group", name="pinned")
    expect(page.locator("#announcer")).to_have_text("“Hello” pinned")
    assert page.locator(".composer form").bounding_box() == before
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)
