"""Conveniences of a conversation: local times, asking again, and drafts."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.steps import (
    message_box,
    open_answered_conversation,
    open_conversation,
    open_menu,
    reply_text,
    send_message,
    turn,
    wait_until_settled,
)
from tests.journeys.traffic import wait_on_page
from tests.support.upstream import Upstream


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


def test_theme_is_applied_at_once_and_the_focus_stays(context: BrowserContext):
    page = context.new_page()
    page.goto("/preferences")
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html[data-theme=dark]")).to_be_visible()
    expect(page.get_by_role("radio", name="Dark")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Saved.")


def test_language_is_applied_when_it_is_saved(context: BrowserContext):
    page = context.new_page()
    page.goto("/preferences")
    wait_until_settled(page)
    page.get_by_role("radio", name="English").check()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Deutsch")).to_be_focused()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Einstellungen")
    expect(page.get_by_role("group", name="Gespeichert.")).to_be_focused()


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
    for width, height in ((740, 360), (320, 256), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        expect(notice).to_be_in_viewport(ratio=1)
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)
