"""The menu of a conversation: where it opens, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from blueprints.current import Portal
from tests.journeys.steps import begun, menu
from tests.support.history import converse, person_of
from tests.support.upstream import Upstream


def test_what_is_saved_leaves_no_menu_open(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    menu(page, "Hello")
    with page.expect_download():
        page.get_by_role("link", name="Save as JSON").click()

    expect(page.get_by_role("button", name="Archive")).to_be_hidden()


def test_what_is_read_is_printed_from_its_menu(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.evaluate("() => { window.print = () => { document.title = 'Printed' } }")
    menu(page, "Hello")
    page.get_by_role("button", name="Print").click()

    expect(page).to_have_title("Printed")
    expect(page.locator(".menu[open]")).to_have_count(0)
    page.goto("/conversations")
    menu(page, "Hello")
    expect(page.get_by_role("button", name="Print")).to_have_count(0)


def test_the_menu_is_used_by_keyboard(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    summary = page.locator("summary[title='Options of Hello']")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Archive")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Archive")).to_be_hidden()
    expect(summary).to_be_focused()

    summary.click()
    page.get_by_role("heading", level=1).click()
    expect(page.get_by_role("button", name="Archive")).to_be_hidden()


@pytest.mark.parametrize("row", [0, -1])
def test_a_menu_opens_where_there_is_room(
    context: BrowserContext, upstream: Upstream, portal: Portal, row: int
):
    page = begun(context, upstream)
    for number in range(12):
        converse(portal.database, person_of(portal.database), number + 1)
    page.goto("/conversations")
    summary = page.locator(".rows .menu summary").nth(row)
    summary.scroll_into_view_if_needed()
    summary.click()

    expect(page.get_by_role("button", name="Delete")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("textbox", name="Title")).to_be_in_viewport(ratio=1)


def test_whoever_presses_rename_first_writes_the_title_next(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    menu(page, "Hello")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("textbox", name="Title")).to_be_focused()
    page.keyboard.type("Weekend plans")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Weekend plans")
    assert upstream.sent_messages() == ["Hello"]
