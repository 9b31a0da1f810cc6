"""Conveniences of a conversation: local times, and notices of actions."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page_steps import (
    open_conversation,
    open_menu,
    send_message,
    turn,
)
from tests.support.traffic import wait_on_page
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
