"""The way through, in a real Chromium: with and without JavaScript."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.upstream import KEY, Upstream

WAIT_MS = 10_000


class Surprises(list[str]):
    """What a page should not do: errors in its console, requests to other hosts."""


@pytest.fixture
def surprises() -> Iterator[Surprises]:
    found = Surprises()
    yield found
    assert found == []


@pytest.fixture
def context(browser: Browser, url: str, surprises: Surprises) -> Iterator[BrowserContext]:
    yield from _context(browser, url, surprises, scripts=True)


@pytest.fixture
def plain(browser: Browser, url: str, surprises: Surprises) -> Iterator[BrowserContext]:
    """Open a browser without JavaScript."""
    yield from _context(browser, url, surprises, scripts=False)


def _context(
    browser: Browser, url: str, surprises: Surprises, *, scripts: bool
) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=url, java_script_enabled=scripts)
    context.set_default_timeout(WAIT_MS)

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: surprises.append(str(error)))
        page.on("console", lambda m: m.type == "error" and surprises.append(m.text))
        page.on("request", lambda r: r.url.startswith(url) or surprises.append(r.url))

    context.on("page", watch)
    yield context
    context.close()


def turn(page: Page, state: str, number: int = 0):
    return page.locator(f".turn[data-state={state}]").nth(number)


def test_gallery_to_reply_and_back(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Twins")
    page.get_by_role("link", name="Ada").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")

    page.get_by_role("textbox", name="Message").fill("Hello Ada")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/conversations/[\w-]{22}$"))
    call = upstream.next_call().begin()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(turn(page, "waiting")).to_be_visible()

    call.delta("It **be")
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It **be")
    page.reload()
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("It **be")
    second = context.new_page()
    second.goto(page.url)
    call.delta("gins**")
    for each in (page, second):
        expect(turn(each, "streaming").locator(".turn__reply")).to_have_text("It **begins**")
    call.complete("It **begins**")
    for each in (page, second):
        expect(turn(each, "complete").locator(".turn__reply strong")).to_have_text("begins")
        expect(each.get_by_role("button", name="Stop")).to_have_count(0)

    page.get_by_role("link", name="Conversations", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.get_by_role("link", name="Hello Ada").click()
    expect(turn(page, "complete")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")


def test_the_next_message_joins_the_page_and_focus_stays(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("Second\nline")
    box.press("Shift+Enter")
    box.press("End")
    box.press("Enter")
    call = upstream.next_call().begin()

    expect(turn(page, "waiting")).to_contain_text("Second")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    box.press_sequentially("typing already")
    call.delta("And")
    expect(turn(page, "streaming").locator(".turn__reply")).to_have_text("And")
    call.complete("And so on")
    expect(turn(page, "complete", 1)).to_contain_text("And so on")
    expect(box).to_have_value("typing already")
    expect(box).to_be_focused()


def test_stop_from_another_tab(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    page.get_by_role("textbox", name="Message").fill("Go on for ever")
    page.keyboard.press("Enter")
    call = upstream.next_call().begin()
    call.delta("For ever and")
    expect(turn(page, "streaming")).to_be_visible()
    second = context.new_page()
    second.goto(page.url)
    second.get_by_role("button", name="Stop").click()

    for each in (page, second):
        expect(turn(each, "stopped")).to_contain_text("For ever and")
        expect(turn(each, "stopped").get_by_role("status")).to_contain_text("You stopped")
    assert call.wait_for_hangup()


def test_a_cut_reply_offers_retry_and_retry_leaves_the_draft_alone(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("Tell me")
    box.press("Enter")
    call = upstream.next_call().begin()
    call.delta("Half")
    call.finish()
    cut = turn(page, "interrupted")
    expect(cut.get_by_role("alert")).to_contain_text("The reply was cut off")
    box.fill("a draft")

    cut.get_by_role("button", name="Retry").click()
    upstream.next_call().begin().complete("The whole")

    expect(turn(page, "complete", 1)).to_contain_text("The whole")
    expect(box).to_have_value("a draft")
    assert upstream.sent()[-2:] == ["Tell me", "Tell me"]


def test_words_that_cannot_be_sent_now_stay_in_the_box(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(context, upstream)
    box = page.get_by_role("textbox", name="Message")
    box.fill("first")
    box.press("Enter")
    call = upstream.next_call().begin()
    expect(turn(page, "waiting")).to_be_visible()
    box.fill("too early")
    box.press("Enter")

    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box).to_have_value("too early")
    call.complete("done")
    expect(turn(page, "complete", 1)).to_be_visible()
    assert [text for text in surprises if "409" not in text] == []
    surprises.clear()


def test_the_gallery_searches_as_one_types(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("listitem").filter(has=page.locator("h2"))).to_have_count(2)

    page.get_by_role("searchbox", name="Search twins").press_sequentially("explains")

    expect(page.get_by_role("listitem").filter(has=page.locator("h2"))).to_have_count(1)
    expect(page.get_by_role("searchbox", name="Search twins")).to_be_focused()


def test_everything_without_javascript(plain: BrowserContext, upstream: Upstream):
    page = plain.new_page()
    page.goto("/")
    page.get_by_role("searchbox", name="Search twins").fill("explains")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Ada").click()
    page.get_by_role("button", name="How does a bicycle stay upright?").click()
    call = upstream.next_call().begin()
    expect(turn(page, "waiting")).to_be_visible()
    call.delta("It does")
    expect(turn(page, "streaming")).to_contain_text("It does")
    call.complete("It **does**")
    expect(turn(page, "complete").locator("strong")).to_have_text("does")

    page.get_by_role("textbox", name="Message").fill("And a tricycle?")
    page.get_by_role("button", name="Send").click()
    call = upstream.next_call().begin()
    page.get_by_role("button", name="Stop").click()
    expect(turn(page, "stopped")).to_be_visible()
    page.get_by_role("button", name="Retry").click()
    upstream.next_call().begin().complete("As well")
    expect(turn(page, "complete", 1)).to_contain_text("As well")

    page.get_by_role("link", name="Conversations", exact=True).click()
    page.get_by_role("searchbox", name="Search conversations").fill("bicycle")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="How does a bicycle").click()
    expect(turn(page, "complete", 1)).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_key_is_made_and_shown_once(
    browser: Browser, url: str, upstream: Upstream, surprises: Surprises, scripts: bool
):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_shown_once"}}
    for context in _context(browser, url, surprises, scripts=scripts):
        page = context.new_page()
        page.goto("/keys")
        page.get_by_role("textbox", name="Name").fill("laptop")
        page.get_by_role("radio", name="Full access").check()
        page.get_by_role("textbox", name="JWT").fill("aaa.bbb.ccc")
        page.get_by_role("button", name="Make a key").click()
        call = upstream.calls[-1]
        expect(page.get_by_text("tw_shown_once")).to_be_visible()
        expect(page.get_by_role("button", name="Copy")).to_have_count(1 if scripts else 0)
        page.goto("/keys")
        expect(page.get_by_text("tw_shown_once")).to_have_count(0)

        assert call.headers["Authorization"] == "Bearer aaa.bbb.ccc"
        assert call.body == {"name": "laptop", "scope": "full_access"}


def test_the_first_chat_page_is_light(browser: Browser, url: str, upstream: Upstream):
    """At most 6 requests and 30 KB on the wire, compressed, from this host alone."""
    context = browser.new_context(base_url=url)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))

    page.goto("/twins/ada", wait_until="networkidle")
    context.close()

    assert 0 < len(sizes) <= 6
    assert sum(sizes) <= 30_000


def test_no_byte_that_reaches_the_browser_holds_the_key(
    context: BrowserContext, upstream: Upstream, app: Flask, surprises: Surprises
):
    seen: list[bytes] = []
    app.wsgi_app = _recorded(app.wsgi_app, seen)  # type: ignore[method-assign]
    page = context.new_page()
    page.goto("/")
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("What is your key?")
    page.keyboard.press("Enter")
    call = upstream.next_call().begin()
    assert KEY in call.headers["Authorization"]
    call.complete("I would not tell")
    expect(turn(page, "complete")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("Now?")
    page.keyboard.press("Enter")
    upstream.next_call().answer(401, {"error": f"the key {KEY} is wrong"})
    expect(turn(page, "failed")).to_be_visible()
    page.goto("/nowhere")
    page.goto("/conversations")
    seen += [page.content().encode(), str(context.cookies()).encode()]
    seen.append(
        str(page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")).encode()
    )

    assert len(seen) > 20
    assert any(b"I would not tell" in part for part in seen)
    assert not [part for part in seen if KEY.encode() in part]
    surprises.clear()  # the page that is nowhere


def _recorded(application: Any, seen: list[bytes]) -> Any:
    """Note every byte that an application answers with."""

    def recorded(environ: Any, start_response: Any) -> Iterator[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            seen.append(f"{status} {headers}".encode())
            return start_response(status, headers, *rest)

        for part in application(environ, start):
            seen.append(_unzipped(part))
            yield part

    return recorded


def _unzipped(part: bytes) -> bytes:
    return gzip.decompress(part) if part.startswith(b"\x1f\x8b") else part


def begun(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with one whole turn."""
    page = context.new_page()
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    upstream.next_call().begin().complete("Hello to you")
    expect(turn(page, "complete")).to_be_visible()
    return page
