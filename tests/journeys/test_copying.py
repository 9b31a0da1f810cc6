"""Copying replies, code and links by their buttons, and selected text."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.journeys.conftest import PageErrors
from tests.support.chromium import INSECURE_HOST, WAIT_MS
from tests.support.page_steps import (
    message_box,
    open_answered_conversation,
    open_streaming_conversation,
    send_message,
    turn,
)
from tests.support.traffic import wait_on_page
from tests.support.upstream import Upstream

LATER_MS = 10_000
URL = "https://bread.example.org/"
CODE = "Look:\n\n```python\nprint('<a>')\n```\n"
REPLY = """\
See **the** [docs](https://docs.example.org/x)[^1].

- one
- two

[^1]: Source
"""


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


RICH_TEXT = """async () => {
  const [item] = await navigator.clipboard.read();
  return (await item.getType("text/html")).text();
}"""


# Selected parts of a message and a reply, and their HTML.
PARTS = [
    ((".turn__reply strong", 1, ".turn__reply strong", 3), "<p><strong>he</strong></p>"),
    (
        (".turn__reply li", 1, ".turn__reply li + li", 2),
        '<ul dir="auto"><li>ne</li><li>tw</li></ul>',
    ),
    ((".turn__text", 3, ".turn__reply strong", 1), "lo\n<p>See <strong>t</strong></p>"),
]
SELECT = """([start, from, end, to]) => {
  const [first, last] = [start, end].map((place) => document.querySelector(place).firstChild);
  getSelection().setBaseAndExtent(first, from, last, to);
}"""


def test_copied_and_selected_replies_are_rich_text_without_hosts_colours_and_links_to_the_page(
    context: BrowserContext, upstream: Upstream
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_answered_conversation(context, upstream, REPLY)

    page.locator(".turn__actions [data-copy=text]").click()
    expect(page.locator("#announcer")).to_contain_text("Copied")
    copied = page.evaluate(RICH_TEXT)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.turn .turn__reply'))")
    page.keyboard.press("Control+c")

    assert page.evaluate(RICH_TEXT) == copied
    assert "<strong>the</strong>" in copied
    assert ">docs</a><sup>1</sup>" in copied
    for foreign in ("style=", "color", "docs.example.org</small>", "#", "<button"):
        assert foreign not in copied
    assert clipboard(page).startswith("See the docs1.\n\none\ntwo")

    for selection, html in PARTS:
        page.evaluate(SELECT, selection)
        page.keyboard.press("Control+c")
        assert html in page.evaluate(RICH_TEXT)


BREAD = {"file": "bread.md", "heading": "Bread", "passage": "Yeast makes gas."}
RYE = {"file": "rye.md", "heading": "Rye", "passage": "Rye is sour."}


@pytest.mark.parametrize(
    ("reply", "sources", "lines"),
    [
        (
            "Yeast [1].",
            [BREAD | {"url": URL}, RYE],
            ["Sources:", f"[1] Bread (bread.md) {URL}", "[2] Rye (rye.md)"],
        ),
        ("Rye is sour.", [RYE], ["Quoted from “Rye” (rye.md)"]),
    ],
)
def test_copied_reply_names_its_sources(
    reply: str,
    sources: list[dict[str, str]],
    lines: list[str],
    context: BrowserContext,
    upstream: Upstream,
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, call = open_streaming_conversation(context, upstream, reply[0])
    call.send_event(type="complete", message={"content": reply, "sources": sources})
    call.close()
    expect(turn(page, "complete")).to_be_visible()
    page.locator(".turn__actions [data-copy=text]").click()
    expect(page.locator("#announcer")).to_contain_text("Copied")

    # The isolates around a heading are invisible.
    words = [
        text.translate(dict.fromkeys(map(ord, "\u2068\u2069")))
        for text in (clipboard(page), page.evaluate(RICH_TEXT))
    ]
    assert words[0].split("\n\n") == [reply, *lines]
    assert words[1].endswith("".join(f"<p>{line}</p>" for line in lines))


def test_buttons_copy_markdown_code_and_link_and_say_when_they_cannot(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, call = open_streaming_conversation(context, upstream, "Look:")
    call.delta(CODE.removeprefix("Look:"))
    page.locator(".code [data-copy]").click()
    call.complete(CODE)
    expect(turn(page, "complete")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.locator(".code [data-copy]")).to_be_focused()  # and not the message box
    expect(page.locator(".code [data-copy]")).to_have_accessible_name("Copy code python")
    page.clock.install()
    # Without a reload, the timers of the page would use the real clock.
    page.reload()
    for place, label, words in (
        (".turn__actions [data-copy=text]", ".needs-script .icon-label", CODE),
        (".code [data-copy]", "", "print('<a>')\n"),
    ):
        button = page.locator(place)
        shown = button.locator(label) if label else button
        box = button.bounding_box()
        button.click()
        expect(shown).to_have_text("Copied")
        assert button.bounding_box() == box or not label  # or its neighbours move under the pointer
        if label:
            expect(button.locator("use:visible")).to_have_attribute("href", re.compile("#check"))
        expect(page.locator("#announcer")).to_contain_text("Copied")
        assert clipboard(page) == words
        page.evaluate("navigator.clipboard.writeText('')")
        button.click()  # once more, while it shows "Copied"
        wait_on_page(page, lambda words=words: clipboard(page) == words)
        page.clock.fast_forward(LATER_MS)
        expect(shown).to_have_text("Copy")
        if label:
            expect(button.locator("use:visible")).to_have_attribute("href", re.compile("#copy"))

    page.get_by_role("link", name="Copy link (only you can open it)").click()
    id_ = str(page.locator(".turn").get_attribute("data-turn"))
    link = f"{page.url}?turn={id_}#turn-{id_}"
    wait_on_page(page, lambda: clipboard(page) == link)
    expect(page.get_by_text("Link copied. Only you can open it.").first).to_be_in_viewport()

    copy = page.locator(".turn__actions [data-copy=text]")
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You're offline.")
    page.evaluate("document.getElementById('notices').replaceChildren()")
    copy.click()
    expect(page.locator("#notices")).to_have_text("You're offline. Try again.")
    context.set_offline(False)
    expect(page.locator("#announcer")).to_contain_text("You're back online.")

    assert [line for line in page_errors if "DISCONNECTED" not in line] == []
    page_errors.clear()
    page.evaluate("navigator.clipboard.write = document.execCommand = null")
    page.get_by_role("link", name="Copy link").click()
    expect(page.locator("#notices")).to_contain_text("Nothing was copied")


def test_buttons_copy_over_plain_http(browser: Browser, url: str, upstream: Upstream):
    with closing(browser.new_context()) as context:
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        page.goto(f"{url.replace('127.0.0.1', INSECURE_HOST)}/twins/ada")
        assert page.evaluate("navigator.clipboard") is None
        send_message(page, "Hello")
        upstream.next_call().start_stream().complete(CODE)
        expect(turn(page, "complete")).to_be_visible()
        before = page.url
        for place, copied in (
            (".turn__actions [data-copy=text]", CODE),
            (".code [data-copy]", "print('<a>')\n"),
            (".turn__actions [data-copy=link]", "/conversations/"),
        ):
            message_box(page).fill("")
            page.locator(place).click()
            expect(page.locator(place)).to_contain_text("copied", ignore_case=True)
            message_box(page).press("Control+v")
            expect(message_box(page)).to_have_value(re.compile(re.escape(copied)))
        assert page.url == before


def test_table_is_copied_for_spreadsheets_and_word_processors(
    context: BrowserContext, upstream: Upstream
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    table = "Look:\n\n| a | b |\n|---|---|\n| **1** | 2 |\n| 3 | `4` |\n"
    page = open_answered_conversation(context, upstream, table)
    page.get_by_role("button", name="Copy table").click()

    expect(page.get_by_role("button", name="Copy table")).to_have_text("Copied")
    assert clipboard(page) == "a\tb\n1\t2\n3\t4"
    html = page.evaluate(RICH_TEXT)
    assert "<strong>1</strong></td>" in html
    assert "<button" not in html
