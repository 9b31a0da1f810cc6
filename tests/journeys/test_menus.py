"""The menu of a conversation, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import open_conversation, wait_until_settled
from tests.support.traffic import DelayedRequest
from tests.support.upstream import Upstream
from twindow.web.container import Portal

# In narrower windows, the sidebar is a drawer.
DRAWER_BELOW = 896


def test_conversation_menu_closes_after_each_use_by_mouse_and_keyboard(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    archive = page.get_by_role("button", name="Archive")
    button = page.get_by_role("button", name="Conversation menu")
    button.focus()
    page.keyboard.press("Enter")
    expect(archive).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator("main .menu__delete")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Pin")).to_be_focused()
    page.keyboard.press("Escape")
    expect(archive).to_be_hidden()
    expect(button).to_be_focused()

    button.click()
    page.get_by_role("log").click()
    expect(archive).to_be_hidden()

    button.click()
    with page.expect_download():
        page.get_by_role("link", name="Save as JSON").click()
    expect(archive).to_be_hidden()

    page.evaluate("() => { window.print = () => { document.title = 'Printed' } }")
    button.click()
    page.get_by_role("button", name="Print").click()
    expect(page).to_have_title("Printed")
    expect(archive).to_be_hidden()
    assert upstream.sent_messages() == ["Hello"]


def test_title_becomes_a_field_that_enter_saves_and_escape_leaves(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    heading, title = (
        page.get_by_role("heading", level=1),
        page.get_by_role("textbox", name="Title"),
    )
    page.get_by_role("button", name="Conversation menu").click()
    page.get_by_role("link", name="Rename").click()
    expect(title).to_be_focused()
    page.keyboard.type("Weekend plans")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("Weekend plans")

    heading.click()
    expect(title).to_have_value("Weekend plans")
    page.keyboard.type("Nothing")
    page.keyboard.press("Escape")
    expect(title).to_have_count(0)
    expect(heading).to_have_text("Weekend plans")
    expect(page.get_by_role("button", name="Conversation menu")).to_be_focused()

    page.locator("#recent li").hover()
    page.locator("#recent li button").click()
    page.locator("#row-menu").get_by_role("link", name="Rename").click()
    expect(title).to_be_focused()
    page.keyboard.type("Sunday")
    page.keyboard.press("Enter")
    expect(page.locator("#recent [aria-current] > [dir]")).to_have_text("Sunday")


def test_menu_of_a_row_in_the_sidebar_opens_by_mouse_and_by_keyboard(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    insert_conversation(portal.database, get_only_person(portal.database), 1)
    page.reload()
    url = page.url
    row = page.locator("#recent li:not(:has([aria-current]))")
    archive = page.locator("#row-menu").get_by_role("button", name="Archive")
    row.hover()
    row.locator("button").click()
    expect(archive).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(archive).to_be_hidden()
    expect(row.locator("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(archive).to_be_in_viewport()
    archive.click()
    expect(page.locator(".composer .note")).to_contain_text("” archived")
    assert page.url.split("?")[0] == url

    page.locator("#recent li a").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(archive).to_be_in_viewport()


def test_menu_of_a_row_never_shows_the_actions_of_another_row(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    insert_conversation(portal.database, get_only_person(portal.database), 1, title="Other")
    page.reload()
    first, second = page.locator("#recent li").all()
    delayed = DelayedRequest(page, "**/menu")
    first.hover()
    first.locator("button").click()
    second.hover()
    second.locator("button").click()
    path = str(second.locator("a").get_attribute("href"))
    pin = page.locator("#row-menu").get_by_role("button", name="Pin", exact=True)
    expect(pin).to_have_attribute("formaction", f"{path}/pin")
    with page.expect_response("**/menu"):
        delayed.release()
    expect(pin).to_have_attribute("formaction", f"{path}/pin")


def test_title_in_the_sidebar_is_kept_while_the_list_is_updated(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.locator("#recent li").hover()
    page.locator("#recent li button").click()
    page.locator("#row-menu").get_by_role("link", name="Rename").click()
    title = page.get_by_role("textbox", name="Title")
    title.fill("Half a name")
    page.get_by_role("log").click()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until_settled(page)
    expect(title).to_have_value("Half a name")

    page.get_by_role("button", name="Conversation menu").click()
    page.locator("main").get_by_role("link", name="Rename").click()
    expect(title).to_have_count(1)
    page.get_by_role("link", name="Cancel").click()
    expect(title).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "height", "language"), [(1280, 740, "en"), (360, 640, "ar"), (740, 360, "en")]
)
def test_menu_of_any_row_opens_inside_the_viewport(
    context: BrowserContext,
    upstream: Upstream,
    portal: Portal,
    width: int,
    height: int,
    language: str,
):
    page = open_conversation(context, upstream)
    for _ in range(20):
        insert_conversation(portal.database, get_only_person(portal.database), 1)
    page.set_viewport_size({"width": width, "height": height})
    page.set_extra_http_headers({"Accept-Language": language})
    page.goto("/conversations")
    for row in (0, -1):
        page.locator(".rows .menu__button").nth(row).click()
        expect_open_menu_in_view(page)
        expect(page.locator(".menu:popover-open [data-print]")).to_have_count(0)
        page.keyboard.press("Escape")
    if width < DRAWER_BELOW:
        page.locator(".menu-button").click()
    for row in (0, 9, 19):
        page.locator("#recent li").nth(row).hover()
        page.locator("#recent li").nth(row).locator("button").first.click()
        expect_open_menu_in_view(page)
        page.keyboard.press("Escape")
        expect(page.locator(".menu:popover-open")).to_have_count(0)


def expect_open_menu_in_view(page: Page) -> None:
    expect(page.locator(".menu:popover-open:has(form)")).to_be_in_viewport(ratio=1)
    page.locator(".menu:popover-open .menu__delete").click(trial=True)
