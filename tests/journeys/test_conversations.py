"""Searching, arranging, paging and printing conversations."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.history import get_only_person, insert_conversation
from tests.support.page_steps import (
    LONG_REPLY,
    open_conversation,
    open_menu,
    open_streaming_conversation,
    turn,
)
from tests.support.traffic import CONVERSATION_URL, DelayedRequest
from tests.support.upstream import Upstream
from twindow.web.container import Portal

NONE = re.compile(r"q=none$")
TOP = "() => document.querySelector('#mark').getBoundingClientRect().top"
MARK = """() => {
  document.querySelector("#mark")?.removeAttribute("id");
  document.querySelector(".turn .turn__body").id = "mark";
}"""


@pytest.mark.usefixtures("bad_network")
def test_search_shows_hits_of_the_last_query_even_after_going_back_or_an_outage(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    insert_conversation(portal.database, get_only_person(portal.database), 3)
    page.goto("/conversations")
    search = page.get_by_role("searchbox", name="Search conversations")
    DelayedRequest(page, NONE)
    with page.expect_request(NONE):
        search.fill("none")
    with page.expect_event("requestfailed", lambda request: NONE.search(request.url)):
        search.fill("")
        search.press_sequentially("to yo")
    expect(page.locator("mark")).to_have_text(["to", "you"])
    expect(page).to_have_url(re.compile(r"q=to"))
    expect(page.locator("#result-count")).to_have_text("1 conversation found")

    page.locator(".hits a").click()
    expect(page.locator("mark")).to_have_text(["to", "you"])
    expect(page.locator("mark:target")).to_be_in_viewport()
    page.go_back()
    expect(search).to_have_value("to yo")
    expect(page.locator("mark")).to_have_text(["to", "you"])

    context.set_offline(True)
    search.fill("nosuch")
    expect(page.locator("#notices")).to_contain_text("You're offline. Try again.")
    context.set_offline(False)
    expect(page.locator("#search-results")).to_contain_text("No results for")
    expect(page.locator("#notices")).to_be_empty()
    search.fill("")
    expect(page.locator("#result-count")).to_have_text("All conversations")


# Each list, and a place in its first row as fractions of the row's width and height.
PLACES = {
    "/conversations": (0.01, 0.05),
    "/conversations?q=you": (0.01, 0.95),
    "/twins/ada": (0.5, 0.5),
}


def test_whole_row_opens_its_conversation_but_its_links_and_menus_still_work(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    row = page.locator(".rows > li").first
    for path, (across, down) in PLACES.items():
        page.goto(path)
        box = row.bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
        expect(page).to_have_url(CONVERSATION_URL)

    page.goto("/conversations")
    page.get_by_role("link", name="Show only conversations with Ada").click()
    expect(page).to_have_url(re.compile(r"/conversations\?twin=ada$"))
    page.goto("/conversations?q=hello")
    open_menu(page, "Hello")
    page.get_by_role("button", name="Archive").click()
    expect(row).to_contain_text("archived")
    row.get_by_role("button", name="Undo").click()
    expect(row).not_to_contain_text("· archived")
    expect(page).to_have_url(re.compile(r"/conversations\?q=hello"))


def test_earlier_turns_load_above_without_moving_the_page(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = open_conversation(context, upstream)
    long = insert_conversation(portal.database, get_only_person(portal.database), 45)
    page.goto(f"/conversations/{long}")
    expect(page.locator(".turn").last).to_be_in_viewport()
    for shown, way in ((40, "keyboard"), (45, "mouse")):
        link = page.get_by_role("link", name="Older messages")
        link.scroll_into_view_if_needed()
        page.evaluate(MARK)
        top = page.locator(".turn").first.get_attribute("id")
        if way == "keyboard":
            link.focus()
        before = page.evaluate(TOP)
        if way == "keyboard":
            page.keyboard.press("Enter")
        else:
            link.click()
        expect(page.locator(".turn")).to_have_count(shown)
        assert abs(page.evaluate(TOP) - before) < 2
        expect(page.get_by_role("textbox", name="Message")).not_to_be_focused()
        expect(page.locator("#announcer")).to_have_text("Older messages are shown above.")
        if way == "keyboard":
            expect(page.locator(f"#{top}")).to_be_focused()
            expect(page.locator(f"#{top}")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Older messages")).to_have_count(0)
    expect(turn(page, "complete")).to_contain_text("Question 00001")

    page.goto(f"/conversations/{long}?before=21")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Newer messages").click()
    expect(page.locator(".turn__content").first).to_contain_text("Question 00021")
    expect(page.locator(".turn__content").first).to_be_in_viewport()


@pytest.mark.settings(banner="For internal use only")
def test_printed_conversation_is_white_and_contains_only_the_turns(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "One")
    tables = []
    for columns in (8, 20):
        row = "|" + "A long word |" * columns
        tables.append(f"{row}\n|{'---|' * columns}\n{row}")
    sum_ = " + ".join(f"a_{{{number}}}" for number in range(15))
    link = "See [the paper](https://example.org/deep?a=1)."
    text = "\n\n".join(["One", link, LONG_REPLY, *tables, f"$$ {sum_} $$\n"])
    sources = [
        {"file": f"{name}.md", "heading": name, "passage": f"{name} rises.\n\n1. First"}
        for name in ("Bread", "Cake")
    ]
    call.send_event(type="complete", message={"content": text, "sources": sources})
    call.close()
    expect(turn(page, "complete")).to_be_visible()
    expect(page.get_by_text("Cake rises.")).to_be_hidden()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("() => scrollY > 500")
    expect(page.get_by_text("For internal use only")).to_be_in_viewport()
    page.emulate_media(media="print", color_scheme="dark")

    white = "rgb(255, 255, 255)"
    background = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(background) == white
    message = page.locator(".turn__content")
    expect(message).to_have_css("background-color", white)
    assert message.bounding_box()["x"] == page.locator(".log").bounding_box()["x"]  # type: ignore[index]
    expect(turn(page, "complete")).to_contain_text("See the paper")
    expect(page.get_by_text("Cake rises.")).to_be_visible()
    expect(page.locator(".sources ol li").last).to_have_css("display", "list-item")
    for chrome in (".sidebar", ".composer", ".conversation .menu", ".banner"):
        expect(page.locator(chrome)).to_be_hidden()
    after = "link => getComputedStyle(link, '::after').content"
    assert "https://example.org/deep" in page.locator(".turn__reply a").evaluate(after)

    page.set_viewport_size({"width": 672, "height": 900})
    parts = page.locator(".turn__reply :is(table, .table, math)")
    wide = "parts => parts.map((part) => part.getBoundingClientRect().right)"
    assert max(parts.evaluate_all(wide)) <= 672
    overflow = "parts => parts.map((part) => getComputedStyle(part).overflowX)"
    assert set(parts.evaluate_all(overflow)) == {"visible"}
