"""Sign-in with OpenID Connect in Chromium, at a provider that others made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.clock import AdjustableClock
from tests.support.openid import run_openid_provider
from tests.support.page_steps import message_box, open_conversation, reply_text, send_message
from tests.support.portals import serve
from tests.support.processes import free_port
from tests.support.upstream import Upstream

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def issuer(tmp_path: Any, port: int) -> Iterator[str]:
    with run_openid_provider(tmp_path / "openid", free_port(), f"http://127.0.0.1:{port}") as url:
        yield url


@pytest.fixture
def settings(settings: dict[str, Any], issuer: str, port: int) -> dict[str, Any]:
    return {
        "sign_in": "oidc",
        "port": port,
        "public_url": f"http://127.0.0.1:{port}",
        "oidc_issuer": issuer,
        "oidc_client_id": "twindow",
        "oidc_client_secret": "a-secret",
        "oidc_groups_claim": "groups",
        "oidc_allowed_groups": "staff",
        "oidc_name": "Example ID",
        **settings,
    }


@pytest.fixture
def url(app: Flask, port: int) -> Iterator[str]:
    with serve(app, port) as url:
        yield url


@pytest.fixture
def context(browser: Browser, url: str) -> Iterator[BrowserContext]:
    """Open a browser that may also visit the provider."""
    context = browser.new_context(base_url=url)
    yield context
    context.close()


def sign_in(page: Page, path: str, name: str = "anna") -> None:
    """Open a page, and sign in at the provider."""
    page.goto(path)
    page.get_by_role("link", name="Sign in with Example ID").click()
    fill_in_forms(page, name)


def sign_in_from_menu(page: Page) -> None:
    """Sign in at the provider as a visitor who follows the link in the menu."""
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("link", name="Sign in with Example ID").click()
    fill_in_forms(page)


def fill_in_forms(page: Page, name: str = "anna") -> None:
    """Sign in at a provider that does not know the browser, which then asks for consent, too."""
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def opened_pages(page: Page) -> list[str]:
    """Return a list to which each page is added that the browser shows from now on."""
    urls: list[str] = []
    page.on("framenavigated", lambda frame: urls.append(frame.url))
    return urls


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """Return a page on which Anna is signed in."""
    page = context.new_page()
    sign_in(page, "/twins/ada")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    return page


def test_person_signs_in_chats_is_renewed_silently_and_signs_out_in_both_places(
    context: BrowserContext, upstream: Upstream, clock: AdjustableClock, issuer: str
):
    page = context.new_page()
    sign_in(page, "/twins/ada")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(
        page.locator("#sidebar, aside").get_by_text("anna Smith (anna@example.org)")
    ).to_be_attached()
    send_message(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you.")
    expect(reply_text(page, "complete")).to_have_text("Hello to you.")
    message_box(page).fill("A draft")

    clock.advance(8 * 3600 + 1)
    address = page.url
    page.reload()
    expect(reply_text(page, "complete")).to_have_text("Hello to you.")
    assert page.url == address
    expect(message_box(page)).to_have_value("A draft")

    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.get_by_role("link", name="Sign out at Example ID, too").click()
    page.get_by_role("button", name="Yes, sign me out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.get_by_role("link", name="Sign in with Example ID").click()
    expect(page.locator("[name=login]")).to_be_visible()


def test_sign_out_at_the_provider_ends_a_running_stream_here(
    context: BrowserContext, upstream: Upstream, clock: AdjustableClock, issuer: str
):
    page = context.new_page()
    sign_in(page, "/twins/ada")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    send_message(page, "Hello")
    upstream.next_call().start_stream().delta("Hello")
    expect(reply_text(page)).to_have_text("Hello")
    other = context.new_page()
    other.goto(f"{issuer}/session/end")
    other.get_by_role("button", name="Yes, sign me out").click()
    expect(other.get_by_text("Sign-out Success")).to_be_visible()
    clock.advance(5)

    expect(page.get_by_text("Your session has ended")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_idle_person_whom_the_provider_still_knows_gets_the_next_page_without_seeing_a_form(
    page: Page, url: str, clock: AdjustableClock
):
    pages = opened_pages(page)
    clock.advance(8 * 3600 + 1)
    page.goto("/conversations?q=tea")

    expect(page.get_by_role("searchbox")).to_have_value("tea")
    assert pages == [f"{url}/conversations?q=tea"]


def test_idle_person_whom_the_provider_has_forgotten_is_asked_there_and_gets_the_next_page(
    page: Page, issuer: str, clock: AdjustableClock
):
    page.context.clear_cookies(name=re.compile("^_session"))
    clock.advance(8 * 3600 + 1)
    page.goto("/conversations?q=tea")
    expect(page).to_have_url(re.compile(f"^{issuer}/interaction/"))
    fill_in_forms(page)

    expect(page.get_by_role("searchbox")).to_have_value("tea")


def test_person_whose_sign_in_has_ended_comes_back_to_the_page_with_one_click(
    page: Page, url: str, clock: AdjustableClock
):
    clock.advance(7 * 86_400 + 1)
    page.goto("/conversations?q=tea")
    expect(page.get_by_text("Your session has expired.")).to_be_visible()
    pages = opened_pages(page)
    page.get_by_role("link", name="Sign in with Example ID").click()

    expect(page.get_by_role("searchbox")).to_have_value("tea")
    assert pages == [f"{url}/conversations?q=tea"]


def test_message_of_an_idle_person_is_in_the_box_after_the_provider_has_asked_who_it_is(
    page: Page, clock: AdjustableClock, upstream: Upstream
):
    page.context.clear_cookies(name=re.compile("^_session"))
    clock.advance(8 * 3600 + 1)
    send_message(page, "Hello")
    fill_in_forms(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(message_box(page)).to_have_value("Hello")
    assert upstream.sent_messages() == []


@pytest.mark.settings(sign_in="visitor,oidc")
def test_draft_of_a_visitor_is_in_the_message_box_after_the_sign_in(context: BrowserContext):
    page = context.new_page()
    page.goto("/twins/ada")
    message_box(page).fill("A draft")
    sign_in_from_menu(page)

    expect(page.get_by_text("anna Smith (anna@example.org)")).to_be_attached()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(message_box(page)).to_have_value("A draft")


@pytest.mark.settings(sign_in="visitor,oidc")
def test_draft_that_a_person_has_taken_over_is_gone_after_signing_out(context: BrowserContext):
    page = context.new_page()
    page.goto("/")
    message_box(page).fill("A draft")
    sign_in_from_menu(page)
    expect(message_box(page)).to_have_value("A draft")
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/")

    expect(message_box(page)).to_be_focused()
    assert page.evaluate("JSON.stringify({...localStorage})").count("A draft") == 0
    expect(message_box(page)).to_have_value("")


@pytest.mark.settings(sign_in="visitor,oidc")
def test_draft_of_a_visitor_is_kept_in_a_conversation_that_the_person_adopts(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    address = page.url
    message_box(page).fill("A draft")
    sign_in_from_menu(page)
    page.get_by_role("button", name="Move to my account").click()
    expect(page.get_by_text("anna Smith (anna@example.org)")).to_be_attached()
    page.goto(address)

    expect(message_box(page)).to_have_value("A draft")
