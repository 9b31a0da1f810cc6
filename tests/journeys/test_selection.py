"""Selecting several conversations in the list."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import open_conversation
from tests.support.upstream import Upstream
from twindow.web.container import Portal


def open_list(context: BrowserContext, upstream: Upstream, portal: Portal) -> Page:
    """Open a list of six conversations."""
    page = open_conversation(context, upstream)
    for number in range(5):
        person = get_only_person(portal.database)
        insert_conversation(portal.database, person, 1, title=f"Talk {number}")
    page.goto("/conversations")
    return page


def test_shift_selects_a_range_and_the_bar_selects_all_or_none(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_list(context, upstream, portal)
    boxes = page.get_by_role("checkbox", name="Select")
    bar = page.get_by_role("form", name="Selected conversations")

    def checked() -> list[bool]:
        return [box.is_checked() for box in boxes.all()]

    expect(bar).to_have_count(0)
    top = page.locator(".rows > li").first.bounding_box()
    boxes.nth(4).click()
    assert page.locator(".rows > li").first.bounding_box() == top
    boxes.nth(2).click(modifiers=["Shift"])
    assert checked() == [False, False, True, True, True, False]
    boxes.nth(3).click(modifiers=["Shift"])
    assert checked() == [False, False, False, False, True, False]
    bar.get_by_role("button", name="Select all").click()
    assert all(checked())
    bar.get_by_role("button", name="Clear the selection").click()
    assert not any(checked())
    expect(boxes.nth(3)).to_be_focused()
    expect(bar).to_have_count(0)

    boxes.nth(0).focus()
    page.keyboard.press("Space")
    boxes.nth(5).focus()
    page.keyboard.press("Shift+Space")
    assert all(checked())
    bar.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("6 conversations deleted")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(boxes).to_have_count(6)


def test_boxes_work_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_list(noscript_context, upstream, portal)
    for place in (0, 1):
        page.get_by_role("checkbox").nth(place).check()
    bar = page.get_by_role("form", name="Selected conversations")
    expect(bar.get_by_role("button", name="Select all")).to_have_count(0)
    bar.get_by_role("button", name="Archive").click()
    expect(page.locator(".note")).to_contain_text("2 conversations archived")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("checkbox")).to_have_count(6)


def test_title_of_a_row_is_above_its_text_at_every_width(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_list(context, upstream, portal)
    for width in (320, 360, 480, 560, 900, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        row = page.locator(".rows > li").first
        title, text = (row.locator(f"> {part}").bounding_box() for part in ("a", "p"))
        assert title
        assert text
        assert title["y"] + title["height"] <= text["y"] + 1, width
