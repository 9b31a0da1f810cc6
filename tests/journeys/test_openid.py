"""Sign-in with OpenID Connect in Chromium, at a provider that others made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.clock import AdjustableClock
from tests.support.openid import run_openid_provider
from tests.support.page_steps import message_box, reply_text, send_message
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
    return settings | {
        "sign_in": "oidc",
        "port": port,
        "public_url": f"http://127.0.0.1:{port}",
        "oidc_issuer": issuer,
        "oidc_client_id": "twindow",
        "oidc_client_secret": "a-secret",
        "oidc_groups_claim": "groups",
        "oidc_allowed_groups": "staff",
        "oidc_name": "Example ID",
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
    """Open a page, and sign in at the provider, which asks for consent at the first time."""
    page.goto(path)
    page.get_by_role("link", name="Sign in with Example ID").click()
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


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
