"""Signing in and out in a browser, and what happens to drafts and running replies."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.window import show_tab
from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.clock import AdjustableClock
from tests.support.page_steps import (
    message_box,
    reply_text,
    wait_until_settled,
)
from tests.support.passwords import FAST_HASHER, PASSWORD
from tests.support.upstream import Upstream
from twindow.accounts import Accounts
from twindow.web.container import Portal

DRAFT = "How does it stay upright?"
PADDING = "field => parseFloat(getComputedStyle(field).paddingInlineEnd)"


# Let people sign in with a password; end a sign-in after an hour without a request.
pytestmark = pytest.mark.settings(sign_in="password", sign_in_idle_timeout=3_600)


@pytest.fixture(autouse=True)
def accounts(portal: Portal) -> Accounts:
    """Add Anna and Ben with a password, and return the accounts of the portal."""
    accounts = portal.accounts
    accounts.passwords.hasher = FAST_HASHER
    for name in ("Anna", "Ben"):
        accounts.use_link(accounts.create_link(accounts.people.add(name)), PASSWORD, "")
    return accounts


def sign_in(page: Page, name: str = "Anna") -> None:
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """Return a page on which Anna is signed in."""
    page = context.new_page()
    page.goto("/twins/ada")
    sign_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    return page


def test_draft_survives_the_end_of_the_session_and_the_next_request_leads_to_the_sign_in_page(
    page: Page, upstream: Upstream, clock: AdjustableClock
):
    message_box(page).fill(DRAFT)
    clock.advance(3_601)
    with page.expect_event("requestfinished", lambda request: "/recent" in request.url):
        show_tab(page)
    page.evaluate(WAIT_FOR_PAINT)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    message_box(page).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    sign_in(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(message_box(page)).to_have_value(DRAFT)
    message_box(page).press("Enter")
    upstream.next_call().start_stream().complete("It steers.")
    expect(reply_text(page, "complete")).to_have_text("It steers.")
    expect(message_box(page)).to_have_value("")
    assert upstream.sent_messages() == [DRAFT]

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    clock.advance(3_601)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_signing_out_deletes_the_drafts_and_leads_other_tabs_to_the_sign_in_page(page: Page):
    other = page.context.new_page()
    other.goto("/conversations")
    message_box(page).fill(DRAFT)
    wait_until_settled(page)
    sign_out(page)
    expect(other.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert DRAFT not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    page.goto("/twins/ada")
    sign_in(page, "Ben")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    wait_until_settled(page)
    expect(message_box(page)).to_have_value("")


def test_password_can_be_shown_until_it_is_sent(context: BrowserContext):
    page = context.new_page()
    page.goto("/session/new")
    page.get_by_role("textbox", name="Name").fill("Anna")
    field = page.get_by_label("Password")
    field.fill("wrong")
    toggle = page.get_by_role("button", name="Show password")
    assert field.evaluate(PADDING) >= toggle.evaluate("button => button.offsetWidth")
    toggle.click()
    expect(field).to_have_attribute("type", "text")
    toggle.click()
    expect(field).to_have_attribute("type", "password")
    toggle.click()
    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")
    page.get_by_role("button", name="Sign in").click()
    expect(field).to_have_attribute("type", "password")
    expect(toggle).to_have_attribute("aria-pressed", "false")
