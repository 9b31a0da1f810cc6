"""Rows of lists: the whole row is a link; links, menus and buttons in the row still work."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.journeys.steps import open_conversation, open_menu
from tests.journeys.traffic import CONVERSATION_URL
from tests.support.upstream import Upstream

# Each list, and a place in its first row as fractions of the row's width and height.
PLACES = {
    "/conversations": (0.01, 0.05),
    "/conversations?q=you": (0.01, 0.95),
    "/twins/ada": (0.5, 0.5),
}


def first_row(page: Page) -> Locator:
    return page.locator(".rows > li").first


def click_row(page: Page, across: float, down: float) -> None:
    """Click a row at fractions of its width and height."""
    box = first_row(page).bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * across, box["y"] + box["height"] * down)


def test_whole_row_opens_its_conversation(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    for path, (across, down) in PLACES.items():
        page.goto(path)
        click_row(page, across, down)
        expect(page).to_have_url(CONVERSATION_URL)


def test_links_menus_and_buttons_in_a_row_still_work(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    page.goto("/conversations?q=you")
    first_row(page).locator(".hits a").click()
    expect(page).to_have_url(re.compile("#hit$"))

    page.goto("/conversations")
    page.get_by_role("link", name="Show only conversations with Ada").click()
    expect(page).to_have_url(re.compile(r"/conversations\?twin=ada$"))

    open_menu(page, "Hello")
    page.get_by_role("textbox", name="Title").fill("A greeting")
    page.get_by_role("button", name="Rename").click()
    expect(first_row(page).locator(".note")).to_contain_text("Renamed to “A greeting”")

    page.goto("/conversations?q=greeting")
    open_menu(page, "A greeting")
    page.get_by_role("button", name="Archive").click()
    expect(first_row(page)).to_contain_text("archived")
    first_row(page).get_by_role("button", name="Undo").click()
    expect(first_row(page)).not_to_contain_text("· archived")
    expect(page).to_have_url(re.compile(r"/conversations\?q=greeting"))
