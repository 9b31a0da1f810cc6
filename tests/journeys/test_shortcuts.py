"""Single-key shortcuts: inactive while typing, and optional."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import (
    choose_preference,
    message_box,
    open_conversation,
    send_message,
    turn,
    wait_until_settled,
)
from tests.support.traffic import wait_on_page
from tests.support.upstream import Upstream
from twindow.web.container import Portal

PRESS = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))"
PRESS_BY_PLACE = """([key, code]) => document.body.dispatchEvent(
  new KeyboardEvent('keydown', { key, code, bubbles: true }))"""

# The response arrives before the dialog's `close` event, which the next frame dispatches.
CLOSED_AND_ASKED_FOR = """async (link) => {
  const headers = { "HX-Request": "true" };
  const answer = await fetch(link.href, { headers });
  const words = await answer.text();
  globalThis.fetch = async () => new Response(words, answer);
  await new Promise((done) => requestAnimationFrame(() => {
    document.querySelector("dialog").close();
    link.click();
    done();
  }));
}"""


def sheet(page: Page):
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def test_shortcut_sheet_opens_by_key_or_menu_and_only_once(context: BrowserContext):
    page = context.new_page()
    page.goto("/help")
    page.keyboard.press("?")
    expect(sheet(page)).to_be_visible()
    expect(sheet(page).get_by_role("heading", name="Keyboard shortcuts")).to_be_focused()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    expect(sheet(page)).to_have_count(0)

    page.keyboard.press("?")
    page.get_by_role("button", name="Close").click()
    expect(sheet(page)).to_have_count(0)

    ended: list[Request] = []
    page.on("requestfinished", lambda each: "/help" in each.url and ended.append(each))
    # Press the key twice before the first response arrives.
    page.evaluate(f"{PRESS}; {PRESS}")
    wait_on_page(page, lambda: len(ended) == 2)
    page.evaluate(WAIT_FOR_PAINT)
    expect(sheet(page)).to_be_visible()
    expect(page.locator("dialog")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(sheet(page)).to_have_count(0)

    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Keyboard shortcuts").click()
    expect(sheet(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="More")).to_be_focused()

    page.keyboard.press("?")
    expect(sheet(page)).to_be_visible()
    page.locator("#shortcuts-link").evaluate(CLOSED_AND_ASKED_FOR)
    expect(sheet(page)).to_be_visible()
    page.evaluate(WAIT_FOR_PAINT)
    expect(sheet(page)).to_have_count(1)


def test_shortcut_keys_open_pages_and_focus_fields(context: BrowserContext, upstream: Upstream):
    page = open_conversation(context, upstream)
    page.keyboard.press("Escape")
    expect(message_box(page)).not_to_be_focused()
    page.keyboard.press("m")
    expect(message_box(page)).to_be_focused()
    expect(message_box(page)).to_have_value("")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile("/conversations$"))
    wait_until_settled(page)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(turn(page, "complete")).to_be_visible()
    wait_until_settled(page)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile(r"/\?twin=ada#message$"))
    wait_until_settled(page)
    page.keyboard.type("more")
    expect(message_box(page)).to_have_value("more")


def test_j_and_k_keys_move_focus_by_one_turn_from_the_end_or_from_a_search_hit(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    send_message(page, "More")
    upstream.next_call().start_stream().complete("Long.\n\n" * 60)
    expect(turn(page, "complete", 1)).to_contain_text("Long.")
    page.keyboard.press("Escape")
    expect(message_box(page)).not_to_be_focused()
    page.keyboard.press("k")
    expect(turn(page, "complete", 1)).to_be_focused()
    page.keyboard.press("k")
    expect(turn(page, "complete", 0)).to_be_focused()
    expect(turn(page, "complete", 0).locator(".turn__content")).to_be_in_viewport()
    page.keyboard.press("k")
    expect(turn(page, "complete", 0)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Edit").first).to_be_focused()
    page.keyboard.press("j")
    expect(turn(page, "complete", 1)).to_be_focused()
    expect(turn(page, "complete", 1).locator(".turn__content")).to_be_in_viewport()
    for key in "jjs":
        page.keyboard.press(key)
    expect(turn(page, "complete", 1)).to_be_focused()
    page.keyboard.press("m")
    expect(message_box(page)).to_be_focused()
    expect(message_box(page)).to_have_value("")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("textbox", name="Edit message")).to_have_value("More")
    page.keyboard.press("Escape")

    conversation = insert_conversation(portal.database, get_only_person(portal.database), 44)
    address = f"/conversations/{conversation}?before=20"
    page.goto(address)
    turns = page.locator(".turn")
    hit = turns.nth(9).get_attribute("data-turn")
    for key, place in (("j", 10), ("k", 8)):
        page.goto("about:blank")
        page.goto(f"{address}&turn={hit}&message=1&q=00010#hit")
        expect(page.locator("mark:target")).to_be_in_viewport()
        page.keyboard.press(key)
        expect(turns.nth(place)).to_be_focused()
    for _ in range(turns.count() - place):
        page.keyboard.press("j")
    expect(page.get_by_role("link", name="Newer messages")).to_be_focused()
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile(f"{conversation}#message$"))
    expect(message_box(page)).to_be_focused()


def test_shortcuts_have_no_modifiers_work_on_other_keyboards_and_can_be_switched_off(
    context: BrowserContext,
):
    page = context.new_page()
    page.goto("/twins/ada")
    wait_until_settled(page)
    for key in ("Escape", "Control+m", "Alt+m", "Meta+m"):
        page.keyboard.press(key)
        expect(message_box(page)).not_to_be_focused()
    page.get_by_role("link", name="Skip to the message box").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Hello")
    expect(message_box(page)).to_have_value("Hello")

    # Keys that produce other letters are matched by their position.
    message_box(page).press("Escape")
    expect(message_box(page)).not_to_be_focused()
    page.evaluate(PRESS_BY_PLACE, ["\u0629", "KeyM"])
    expect(message_box(page)).to_be_focused()
    message_box(page).press("Escape")
    page.evaluate(PRESS_BY_PLACE, ["\u061f", "Slash"])
    expect(sheet(page)).to_be_visible()

    page.goto("/preferences")
    choose_preference(page, "Keyboard shortcuts", "Off")
    page.goto("/twins/ada")
    wait_until_settled(page)
    for key in ("Escape", "?", "m", "/", "g", "t", "j", "k", "H"):
        page.keyboard.press(key)
    expect(message_box(page)).not_to_be_focused()
    expect(page).to_have_url(re.compile("/twins/ada$"))
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Keyboard shortcuts").click()
    expect(sheet(page)).to_contain_text("Shortcuts are turned off")
