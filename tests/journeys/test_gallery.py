"""Searching and paging the gallery of twins."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.support.images import png
from tests.support.traffic import DelayedRequest, record_requests
from tests.support.upstream import Upstream

CROWD = [
    {"id": "emile", "name": "Émile", "description": "Writes novels.", "avatarUrl": "/a.png"},
    *({"id": str(n), "name": f"Twin {n:03}", "description": "One of many."} for n in range(130)),
]
COLLECT_ANNOUNCEMENTS = """
window.announcements = [];
const count = document.getElementById("result-count");
new MutationObserver(() => announcements.push(count.textContent.trim()))
  .observe(count, {childList: true});
"""


@pytest.fixture(autouse=True)
def crowd(upstream: Upstream) -> None:
    everybody = {"data": CROWD, "pagination": {"page": 1, "pages": 1}}
    upstream.answers["/api/v1/twins"] = 200, everybody
    upstream.answers["/a.png"] = lambda call: call.respond(200, png(), content_type="image/png")


# Type without pauses: on a slow machine, a pause between two letters could start a search.
TYPE_AT_ONCE = """(box, letters) => { for (const letter of letters) {
  box.value += letter;
  box.dispatchEvent(new InputEvent('input', { bubbles: true, data: letter })); } }"""


def opened(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("/")
    page.evaluate(COLLECT_ANNOUNCEMENTS)
    return page


def searches(page: Page) -> list[Request]:
    return record_requests(page, lambda request: "q=" in request.url)


def box(page: Page):
    return page.get_by_role("searchbox", name="Search twins")


def test_typing_sends_one_search_shows_its_results_and_updates_the_url(context: BrowserContext):
    page = opened(context)
    asked = searches(page)
    box(page).focus()
    box(page).evaluate(TYPE_AT_ONCE, "emile")

    expect(page.get_by_role("listitem").filter(has=page.get_by_role("heading"))).to_have_count(1)
    expect(page.get_by_role("link", name="Émile")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?q=emile$"))
    expect(page.locator(".result-count")).to_have_text("1 twin found")
    expect(box(page)).to_be_focused()
    assert len(asked) == 1
    assert page.evaluate("announcements") == ["1 twin found"]

    page.get_by_role("link", name="Émile").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Émile")
    page.go_back()
    expect(box(page)).to_have_value("emile")
    expect(page.locator(".card")).to_have_count(1)

    box(page).press("Escape")
    expect(page.locator(".card")).to_have_count(60)
    expect(box(page)).to_have_value("")
    expect(page).to_have_url(re.compile(r"/$"))

    late = re.compile(r"q=twin$")
    DelayedRequest(page, late)
    with page.expect_request(late):
        box(page).fill("twin")
    with page.expect_event("requestfailed", lambda request: late.search(request.url)):
        box(page).fill("emile")
    expect(page.locator(".card h3")).to_have_text(["Émile"])
    expect(page.locator("#notices")).to_be_empty()


def test_show_more_adds_twins_and_focuses_the_first_new_one(
    context: BrowserContext, noscript_context: BrowserContext
):
    for browser, scripts in ((context, True), (noscript_context, False)):
        page = browser.new_page()
        page.goto("/")
        expect(page.locator(".card")).to_have_count(60)
        more = page.get_by_role("link", name="Show more")
        more.click()

        expect(page.locator(".card")).to_have_count(120)
        expect(page.locator(".result-count")).to_have_text("Showing 120 of 131 twins")
        first = page.locator(".card a").nth(60)
        expect(first).to_be_in_viewport()
        if not scripts:
            page.keyboard.press("Tab")
        expect(first).to_be_focused()
        more.click()
        expect(page.locator(".card")).to_have_count(131)
        expect(more).to_have_count(0)
        page.reload()
        expect(page.locator(".card")).to_have_count(131)


def test_picker_lists_faces_and_descriptions_and_loads_the_faces_only_when_it_opens(
    context: BrowserContext,
):
    page = context.new_page()
    faces = record_requests(page, lambda request: "/avatars/" in request.url)
    page.goto("/")
    picker = page.get_by_role("combobox", name="Twin")
    expect(picker).to_have_value("emile")
    count = len(faces)
    picker.focus()
    page.keyboard.press("Enter")
    option = page.get_by_role("option", name="Twin 018 One of many.")
    expect(option.get_by_role("presentation")).to_have_js_property("naturalWidth", 150)
    assert len(faces) > count
    page.keyboard.press("End")
    expect(option).to_be_focused()
    page.keyboard.press("Enter")
    expect(picker).to_have_value("18")
    expect(page.get_by_role("textbox", name="Message")).to_have_attribute(
        "placeholder", "Message Twin 018"
    )
    # The next letters are for the message, and choose no other twin.
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_card_chooses_the_twin_of_a_typed_text(context: BrowserContext):
    page = opened(context)
    message = page.get_by_role("textbox", name="Message")
    message.fill("A question")
    for number in ("3", "25"):  # the select offers the first twenty
        page.locator(".card").get_by_role("link", name=f"Twin {number:>03}").click()
        expect(page.get_by_role("combobox", name="Twin")).to_have_value(number)
        expect(message).to_have_value("A question")
        expect(message).to_be_focused()
    with context.expect_page() as tab:
        page.locator(".card").get_by_role("link", name="Twin 003").click(modifiers=["Control"])
    expect(tab.value).to_have_url(re.compile("/twins/3$"))

    message.fill("")
    page.locator(".card").get_by_role("link", name="Twin 003").click()
    expect(page).to_have_url(re.compile("/twins/3$"))
