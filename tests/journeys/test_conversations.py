"""Find a conversation again, arrange them, and read a long one upwards."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Route, expect

from blueprints.current import Portal
from tests.journeys.conftest import Surprises, open_context
from tests.journeys.steps import begun, menu, talking, turn
from tests.support.history import converse, person_of
from tests.support.upstream import Upstream

TOP = "() => document.querySelector('#mark').getBoundingClientRect().top"


def test_a_message_is_found_and_the_search_is_still_there_on_the_way_back(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    page = begun(context, upstream)
    converse(portal.database, person_of(portal.database), 3)
    page.goto("/conversations")
    page.get_by_role("searchbox", name="Search conversations").press_sequentially("to yo")
    expect(page.locator("mark")).to_have_text(["to", "you"])
    expect(page).to_have_url(re.compile(r"q=to"))
    expect(page.locator("#count")).to_have_text("1 conversation found")

    page.locator(".hits a").click()
    expect(page.locator("mark")).to_have_text(["to", "you"])
    expect(page.locator("mark:target")).to_be_in_viewport()

    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("to yo")
    expect(page.locator("mark")).to_have_text(["to", "you"])
    page.get_by_role("searchbox").fill("")
    expect(page.locator("#count")).to_have_text("All conversations")


def test_an_old_answer_to_a_search_does_not_win(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.goto("/conversations")
    held: list[Route] = []
    page.route(re.compile(r"q=none$"), lambda route: held.append(route))
    search = page.get_by_role("searchbox")
    with page.expect_request(re.compile(r"q=none$")):
        search.fill("none")
    search.fill("you")

    expect(page.get_by_text("Hello to you")).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=you$"))
    for route in held:
        with suppress(Error):  # nobody waits for it any more
            route.continue_()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_text("Hello to you")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_conversation_is_renamed_pinned_deleted_and_brought_back(
    browser: Browser, url: str, upstream: Upstream, surprises: Surprises, *, scripts: bool
):
    for context in open_context(browser, url, surprises, scripts=scripts):
        page = begun(context, upstream)
        menu(page, "Hello")
        page.get_by_role("textbox", name="Title").fill("A greeting")
        page.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("A greeting")

        page.goto("/conversations")
        menu(page, "A greeting")
        page.get_by_role("button", name="Pin", exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(["Pinned"])

        menu(page, "A greeting")
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("was deleted")).to_be_visible()
        expect(page.get_by_role("link", name="A greeting")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("link", name="A greeting")).to_be_visible()

        menu(page, "A greeting")
        with page.expect_download() as download:
            page.get_by_role("link", name="Save as Markdown").click()
        assert download.value.suggested_filename == "A greeting.md"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_later_turns_open_at_their_beginning(
    browser: Browser,
    url: str,
    upstream: Upstream,
    surprises: Surprises,
    portal: Portal,
    *,
    scripts: bool,
):
    for context in open_context(browser, url, surprises, scripts=scripts):
        page = begun(context, upstream)
        long = converse(portal.database, person_of(portal.database), 65)
        page.goto(f"/conversations/{long}?before=21")
        page.get_by_role("link", name="Later turns").click()

        expect(page.locator(".turn__said").first).to_contain_text("Question 00021")
        expect(page.locator(".turn__said").first).to_be_in_viewport()


@pytest.mark.usefixtures("bad_network")
def test_a_search_without_a_network_is_made_when_it_is_back(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    page.goto("/conversations")
    context.set_offline(True)
    page.get_by_role("searchbox", name="Search conversations").fill("nosuch")
    expect(page.locator("#notices")).to_contain_text("You are offline. Try again.")
    context.set_offline(False)

    expect(page.locator("#found")).to_contain_text("Nothing here contains")
    expect(page.locator("#notices")).to_be_empty()


@pytest.mark.parametrize("by_keyboard", [True, False], ids=["by keyboard", "by mouse"])
def test_earlier_turns_come_above_without_a_jump(
    context: BrowserContext, upstream: Upstream, portal: Portal, *, by_keyboard: bool
):
    page = begun(context, upstream)
    long = converse(portal.database, person_of(portal.database), 45)
    page.goto(f"/conversations/{long}")
    expect(page.locator(".turn").last).to_be_in_viewport()
    for shown in (40, 45):
        link = page.get_by_role("link", name="Earlier turns")
        link.scroll_into_view_if_needed()
        page.evaluate("() => { document.querySelector('#mark')?.removeAttribute('id'); }")
        page.evaluate("() => { document.querySelector('.turn .turn__body').id = 'mark'; }")
        before = page.evaluate(TOP)
        top = page.locator(".turn").first.get_attribute("id")
        if by_keyboard:
            link.focus()
            before = page.evaluate(TOP)
            page.keyboard.press("Enter")
        else:
            link.click()
        expect(page.locator(".turn")).to_have_count(shown)
        assert abs(page.evaluate(TOP) - before) < 2
        expect(page.get_by_role("textbox", name="Message")).not_to_be_focused()
        expect(page.locator("#announcer")).to_have_text("Earlier turns are above.")
        if by_keyboard:
            expect(page.locator(f"#{top}")).to_be_focused()
            expect(page.locator(f"#{top}")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Earlier turns")).to_have_count(0)
    expect(turn(page, "complete")).to_contain_text("Question 00001")


def test_a_conversation_that_another_tab_deletes_says_so(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream)
    other = context.new_page()
    other.goto("/conversations")
    menu(other, "Hello")
    other.get_by_role("button", name="Delete").click()
    expect(turn(page, "stopped")).to_contain_text("The conversation was deleted")
    assert call.wait_for_disconnect()

    other.get_by_role("button", name="Undo").click()
    other.get_by_role("link", name="Hello").click()
    expect(turn(other, "stopped")).to_contain_text("One")


def test_the_conversations_are_one_tap_away_on_a_phone(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.set_viewport_size({"width": 360, "height": 640})
    page.get_by_role("link", name="All conversations").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")


def test_a_long_title_leaves_a_phone_room_to_read(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    menu(page, "Hello")
    page.get_by_role("textbox", name="Title").fill("A title without end " * 10)
    page.get_by_role("button", name="Rename").click()
    page.set_viewport_size({"width": 320, "height": 640})
    heading = page.get_by_role("heading", level=1)

    expect(heading).to_contain_text("A title without end " * 2)
    lines = "h1 => h1.offsetHeight / parseFloat(getComputedStyle(h1).lineHeight)"
    assert round(heading.evaluate(lines)) == 2


def test_paper_is_white_and_holds_the_turns_alone(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.emulate_media(media="print", color_scheme="dark")

    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    said = page.locator(".turn__said")
    expect(said).to_have_css("background-color", "rgb(255, 255, 255)")
    assert said.bounding_box()["x"] == page.locator(".log").bounding_box()["x"]  # type: ignore[index]
    expect(turn(page, "complete")).to_contain_text("Hello to you")
    for chrome in (".bar", ".side", ".composer", ".talk .menu", ".talk__new"):
        expect(page.locator(chrome)).to_be_hidden()


def test_paper_says_where_links_lead(context: BrowserContext, upstream: Upstream):
    page, call = talking(context, upstream, "One")
    call.complete("See [the paper](https://example.org/deep?a=1).")
    expect(turn(page, "complete")).to_be_visible()
    page.emulate_media(media="print")

    after = "link => getComputedStyle(link, '::after').content"
    assert "https://example.org/deep" in page.locator(".turn__reply a").evaluate(after)


@pytest.mark.parametrize("columns", [8, 20])
def test_nothing_is_wider_than_paper(context: BrowserContext, upstream: Upstream, columns: int):
    row = "|" + "A long word |" * columns
    sum_ = " + ".join(f"a_{{{number}}}" for number in range(15))
    page, call = talking(context, upstream, "One")
    call.complete(f"{row}\n|{'---|' * columns}\n{row}\n\n$$ {sum_} $$\n")
    expect(turn(page, "complete")).to_be_visible()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 672, "height": 900})

    parts = page.locator(".turn__reply :is(table, .table, math)")
    wide = "parts => parts.map((part) => part.getBoundingClientRect().right)"
    assert max(parts.evaluate_all(wide)) <= 672
    clipped = (
        "parts => parts.filter((part) => getComputedStyle(part).overflowX !== 'visible').length"
    )
    assert parts.evaluate_all(clipped) == 0
