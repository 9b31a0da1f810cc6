"""The message box receives what people type, wherever the focus is."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import (
    message_box,
    open_conversation,
    open_menu,
    turn,
    wait_until_settled,
)
from tests.support.traffic import FORM_URL, DelayedRequest
from tests.support.upstream import Upstream
from twindow.web.container import Portal

# Sentences that begin with the key of a shortcut, and a few that do not.
SENTENCES = (
    "no idea",
    "just do it, then stop",
    "keep going?",
    "stop there!",
    "my turn",
    "give the text to me",
    "/help me & then why",
    "? again (no)",
    "go to the conversations",
    '"Quote" - ok?',
    "3 more…",
    "née",
)
# The empty area beside the text, as coordinates.
EMPTY_AREA = (350, 400)
TAKE_TEXT = "() => { const { value } = message; message.value = ''; return value; }"


def type_after_click(page: Page, sentence: str) -> str:
    """Click the empty area, type a sentence, and return what the message box received."""
    page.mouse.click(*EMPTY_AREA)
    page.keyboard.type(sentence)
    return str(page.evaluate(TAKE_TEXT))


def test_composer_receives_sentences_typed_on_an_empty_area_on_buttons_and_in_menus(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.mouse.click(*EMPTY_AREA)
    expect(page.locator("body")).to_be_focused()
    url = page.url

    assert tuple(type_after_click(page, sentence) for sentence in SENTENCES) == SENTENCES
    for focus in (
        lambda: page.get_by_role("button", name="Try again").focus(),
        lambda: page.get_by_role("button", name="More pages").click(),
        lambda: open_menu(page, "Hello"),
    ):
        focus()
        page.keyboard.type("s no idea? just go")
        assert page.evaluate(TAKE_TEXT) == "s no idea? just go"
        if page.locator(".menu:popover-open, #more:popover-open").count():
            page.keyboard.press("Escape")
            expect(page.locator(".menu:popover-open, #more:popover-open")).to_have_count(0)
            page.keyboard.type("no idea")  # Escape has not left the box
            assert page.evaluate(TAKE_TEXT) == "no idea"
    assert page.url == url
    for key in ("Escape", "Escape"):  # the first one closes the menu
        page.keyboard.press(key)
    expect(message_box(page)).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    assert type_after_click(page, "no idea") == "no idea"


def test_composer_has_the_focus_on_arrival_except_at_a_search_hit_or_an_anchor(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    conversation = insert_conversation(portal.database, get_only_person(portal.database), 2)
    path = f"/conversations/{conversation}"
    hit = f"{path}?turn={{}}&message=1&q=00002#hit"
    for address in ("/twins/ada", "/twins/ada#message", path, f"{path}#message"):
        page.goto("about:blank")
        page.goto(address)
        wait_until_settled(page)
        expect(message_box(page)).to_be_focused()

    newest = page.locator(".turn").last.get_attribute("data-turn")
    for address in (hit.format(newest), f"{path}#log"):
        page.goto("about:blank")
        page.goto(address)
        wait_until_settled(page)
        expect(message_box(page)).to_be_visible()
        expect(message_box(page)).not_to_be_focused()


def test_composition_that_begins_before_the_response_goes_on_and_is_not_doubled(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    sending = DelayedRequest(page, FORM_URL)
    # An input method, such as for Japanese, replaces its text until it is committed.
    keyboard = context.new_cdp_session(page)
    message_box(page).fill("Hello")
    page.keyboard.press("Enter")
    expect(page.locator("#composer form.htmx-request")).to_be_attached()
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    expect(message_box(page)).to_have_value("Helloに")
    sending.release()
    upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    for text in ("にほ", "にほん"):
        keyboard.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
    keyboard.send("Input.insertText", {"text": "日本"})

    expect(message_box(page)).to_have_value("日本")


COMPOSE = """(field, [key, init]) => field.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }))"""


@pytest.mark.parametrize("state", [{"isComposing": True}, {"keyCode": 229}])
def test_keys_of_an_input_method_do_nothing_on_the_page(
    context: BrowserContext, upstream: Upstream, state: dict[str, Any]
):
    page = open_conversation(context, upstream)
    address = page.url
    message_box(page).fill("Hello")
    message_box(page).evaluate(COMPOSE, ["Enter", state])
    open_menu(page, "Hello")
    page.get_by_role("link", name="Rename").click()
    title = page.get_by_role("textbox", name="Title")
    title.evaluate(COMPOSE, ["Escape", state])
    expect(title).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("searchbox")
    field.fill("Ada")
    expect(page.locator(".search-view[data-query=Ada]")).to_be_visible()
    for key in ("ArrowDown", "Escape", "Enter"):
        field.evaluate(COMPOSE, [key, state])

    expect(field).to_be_focused()
    assert page.url == address
    assert upstream.sent_messages() == ["Hello"]


def test_new_conversation_on_a_phone_begins_at_the_top_without_focus(phone: BrowserContext):
    page = phone.new_page()
    page.set_viewport_size({"width": 390, "height": 640})
    page.goto("/help")
    page.get_by_role("link", name="New conversation").first.click()
    page.wait_for_url("**/#message")

    assert page.evaluate("scrollY") == 0
    page.goto("/twins/ada")
    wait_until_settled(page)
    expect(message_box(page)).not_to_be_focused()
