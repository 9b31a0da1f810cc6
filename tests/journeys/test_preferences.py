"""Preferences take effect without another page."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.page_steps import choose_preference, message_box


def test_theme_is_switched_in_the_menu_and_the_page_stays(context: BrowserContext):
    page = context.new_page()
    page.goto("/twins/ada")
    message_box(page).fill("Hello")
    page.evaluate("window.isSamePage = true")
    page.get_by_role("button", name="More pages").click()
    colour = page.locator("meta[name=theme-color]").first
    light = colour.get_attribute("content")
    with page.expect_response("**/preferences"):
        page.get_by_role("button", name="Dark").click()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("button", name="System")).not_to_have_attribute("aria-current", "true")
    expect(message_box(page)).to_have_value("Hello")
    assert page.evaluate("window.isSamePage")
    assert colour.get_attribute("content") != light
    page.goto("/help")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.usefixtures("bad_network")
def test_theme_that_was_not_saved_does_not_show(context: BrowserContext):
    page = context.new_page()
    page.goto("/")
    page.route("**/preferences", lambda route: route.abort())
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("#notices")).to_contain_text("reach the server")
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_mark_of_a_saved_preference_moves_and_follows_the_menu(context: BrowserContext):
    page = context.new_page()
    page.goto("/preferences")
    choose_preference(page, "Theme", "Light")
    choose_preference(page, "Text size", "Large")
    expect(page.locator("html")).to_have_attribute("data-text", "large")
    expect(page.get_by_text("Saved.")).to_have_count(1)

    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()


def test_touch_screens_offer_no_choice_for_enter(phone: BrowserContext):
    page = phone.new_page()
    page.goto("/preferences")

    expect(page.get_by_role("group", name="Text size")).to_be_visible()
    expect(page.get_by_role("group", name="Press Enter to")).to_have_count(0)
