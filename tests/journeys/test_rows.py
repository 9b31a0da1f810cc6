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


def test_whole_row_opens_its_conversation_but_its_links_and_menus_still_work(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    for path, (across, down) in PLACES.items():
        page.goto(path)
        click_row(page, across, down)
        expect(page).to_have_url(CONVERSATION_URL)

    page.goto("/conversations")
    page.get_by_role("link", name="Show only conversations with Ada").click()
    expect(page).to_have_url(re.compile(r"/conversations\?twin=ada$"))
    page.goto("/conversations?q=hello")
    open_menu(page, "Hello")
    page.get_by_role("button", name="Archive").click()
    expect(first_row(page)).to_contain_text("archived")
    first_row(page).get_by_role("button", name="Undo").click()
    expect(first_row(page)).not_to_contain_text("· archived")
    expect(page).to_have_url(re.compile(r"/conversations\?q=hello"))
