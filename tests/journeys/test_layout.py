"""Layout: sidebar, first page, search, keys, and the Save bar of the preferences."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.chromium import resize
from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import message_box, open_conversation
from tests.support.upstream import Upstream
from twindow.core.languages import LANGUAGES
from twindow.web.container import Portal

WORDMARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 40" width="300" height="40">'
    '<rect width="300" height="40"/></svg>'
)
# The vertical offset between the parts of the top bar, and the horizontal overflow of the page.
BAR = """() => {
  const parts = document.querySelectorAll(".bar > *");
  const boxes = [...parts].map((part) => part.getBoundingClientRect());
  const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2);
  const { scrollWidth } = document.scrollingElement;
  return [Math.max(...middles) - Math.min(...middles), scrollWidth - innerWidth];
}"""


class TestWithAWordmark:
    @pytest.fixture
    def settings(self, settings: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
        logo = tmp_path / "wordmark.svg"
        logo.write_text(WORDMARK)
        return settings | {"logo": str(logo), "logo_has_name": True}

    def test_top_bar_has_one_line_on_a_phone_in_every_text_size_and_language(
        self, context: BrowserContext
    ):
        page = context.new_page()
        resize(page, 360, 740)
        wrong = []
        for language in LANGUAGES:
            page.set_extra_http_headers({"Accept-Language": language})
            page.goto("/help")
            for size in ("normal", "large"):
                page.evaluate("size => { document.documentElement.dataset.text = size }", size)
                spread, overflow = page.evaluate(BAR)
                if spread > 1 or overflow > 0:
                    wrong.append((language, size, spread, overflow))

        assert wrong == []


def test_save_bar_has_a_gradient_and_covers_no_preference_at_the_end_of_the_page(
    noscript_context: BrowserContext,
):
    page = noscript_context.new_page()
    page.goto("/preferences")
    bar = page.locator(".preferences__save")
    expect(bar).to_have_css("background-image", re.compile("^linear-gradient"))
    expect(bar).to_have_css("border-top-width", "0px")

    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        rows = page.locator("fieldset").evaluate_all(
            "rows => Math.max(...rows.map((row) => row.getBoundingClientRect().bottom))"
        )
        assert rows <= bar.evaluate("bar => bar.getBoundingClientRect().top") + 1


def test_sidebar_is_a_drawer_in_a_narrow_window(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    sidebar = page.get_by_role("complementary", name="Menu")
    expect(sidebar).to_be_visible()
    resize(page, 360, 740)
    expect(sidebar).to_be_hidden()

    opener = page.get_by_role("button", name="Menu", exact=True)
    for close in (
        lambda: page.keyboard.press("Escape"),
        lambda: page.get_by_role("button", name="Close").click(),
        lambda: page.mouse.click(350, 400),
        lambda: page.locator("#message").focus(),
    ):
        opener.click()
        expect(sidebar).to_be_visible()
        expect(page.get_by_role("button", name="Close")).to_be_focused()
        close()
        expect(sidebar).to_be_hidden()

    opener.click()
    page.get_by_role("button", name="More pages").click()
    expect(page.get_by_role("link", name="Preferences")).to_be_visible()
    expect(sidebar).to_be_visible()
    page.get_by_role("link", name="Preferences").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preferences")


def test_sidebar_stays_hidden_on_every_page_until_it_is_shown_again(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    sidebar = page.get_by_role("complementary", name="Menu")
    opener = page.get_by_role("button", name="Menu", exact=True)
    page.get_by_role("button", name="Hide the sidebar").click()
    expect(sidebar).to_be_hidden()
    expect(opener).to_be_focused()
    page.goto("/help")
    expect(sidebar).to_be_hidden()
    opener.click()
    expect(page.get_by_role("button", name="Hide the sidebar")).to_be_focused()
    page.reload()
    expect(sidebar).to_be_visible()

    page.goto("/")
    message_box(page).fill("Hello")
    for is_visible in (False, True):
        page.keyboard.press("Control+b")
        expect(sidebar).to_be_visible(visible=is_visible)
        expect(message_box(page)).to_be_focused()


# In a window of small height, the whole sidebar scrolls.
@pytest.mark.parametrize(("width", "height"), [(1280, 600), (740, 400)])
def test_list_of_the_sidebar_keeps_its_place_and_shows_the_open_conversation(
    context: BrowserContext, upstream: Upstream, portal: Portal, width: int, height: int
):
    page = open_conversation(context, upstream)
    for _ in range(30):
        insert_conversation(portal.database, get_only_person(portal.database), 1)
    resize(page, width, height)
    current = page.locator("#recent [aria-current]")
    opener = page.get_by_role("button", name="Menu", exact=True)
    place = "sidebar.scrollTop + document.querySelector('.sidebar__recent').scrollTop"

    def load(action: Callable[[], object]) -> None:
        with page.expect_navigation():
            action()
        if opener.is_visible():
            opener.click()

    load(page.reload)
    expect(current).to_contain_text("Hello")
    expect(current).to_be_in_viewport(ratio=1)
    page.locator("#recent a").nth(12).evaluate("row => row.scrollIntoView({ block: 'center' })")
    before = page.evaluate(place)
    assert before > 0
    # Playwright could scroll before it clicks.
    load(lambda: page.locator("#recent a").nth(12).evaluate("link => link.click()"))
    page.wait_for_function(f"before => {place} === before", arg=before)
    page.evaluate("document.querySelector('.sidebar__top').scrollIntoView()")
    load(page.go_back)
    expect(current).to_contain_text("Hello")
    expect(current).to_be_in_viewport(ratio=1)
    if opener.is_visible():
        page.keyboard.press("Escape")
        opener.click()
        expect(current).to_be_in_viewport(ratio=1)


def test_search_opens_in_a_dialog_and_leads_to_a_hit(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    dialog = page.get_by_role("dialog", name="Search")
    page.keyboard.press("Control+k")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("hello to")
    expect(dialog.locator("mark").first).to_be_visible()
    expect(dialog.locator("#search-status")).to_have_text("1 result")
    page.keyboard.press("ArrowDown")
    expect(dialog.locator(".search-view a").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    page.get_by_role("link", name="Search").click()
    dialog.get_by_role("searchbox").fill("hello to")
    dialog.locator(".rows a").first.click()
    expect(page.locator("mark:target")).to_be_in_viewport()

    page.goto("/help")
    page.keyboard.press("Control+k")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    results = dialog.locator(".search-view a")
    for place in (0, 1):
        page.keyboard.press("ArrowDown")
        expect(results.nth(place)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    dialog.get_by_role("searchbox").fill("hello")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/conversations/"))
