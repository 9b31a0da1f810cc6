"""Sign-in pages, the account, one-time links and adoption."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.accessibility.environment import Environment, state
from tests.support.passwords import FAST_HASHER, PASSWORD
from tests.support.portals import get_portal

SETTINGS: dict[str, Any] = {"sign_in": "password"}


def _create_link(env: Environment) -> str:
    accounts = get_portal(env.app).accounts
    accounts.passwords.hasher = FAST_HASHER
    return f"/session/links/{accounts.create_link(accounts.people.add('Anna'))}"


def choose_password(env: Environment, password: str) -> Page:
    """Add Anna, and let her choose a password, which signs her in."""
    page = env.open(_create_link(env))
    page.get_by_label("Password").fill(password)
    page.locator("main form").evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Save").click()
    return page


OIDC = {
    "sign_in": "password,oidc",
    "public_url": "http://127.0.0.1:8000",
    "oidc_issuer": "http://127.0.0.1:9",
    "oidc_client_id": "twindow",
    "oidc_name": "Example ID",
}


@state("oidc.new", status=503, **OIDC)
def provider_unavailable(env: Environment) -> Page:
    page = env.open("/session/new")
    page.get_by_role("link", name="Sign in with Example ID").click()
    expect(page.locator("#form-error")).to_contain_text("can't be reached")
    return page


@state("session.new", "session.create", status=403, **SETTINGS)
def sign_in_rejected(env: Environment) -> Page:
    page = env.open("/session/new")
    page.get_by_role("textbox", name="Name").fill("Anna")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#form-error")).to_contain_text("wrong")
    return page


@state("one_time_links.show", "one_time_links.use", status=422, **SETTINGS)
def password_rejected(env: Environment) -> Page:
    page = choose_password(env, "short")
    expect(page.locator("#form-error")).to_contain_text("at least 12 characters")
    return page


@state("one_time_links.show", status=404, nightly=True, **SETTINGS)
def password_link_used(env: Environment) -> Page:
    return env.open("/session/links/none")


@state("account.show", "account.change_password", status=403, **SETTINGS)
def signed_in_browsers_and_rejected_password(env: Environment) -> Page:
    page = choose_password(env, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    accounts = get_portal(env.app).accounts
    accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox, Linux")
    env.open("/session")
    page.get_by_label("Current password").fill("wrong")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Change password").click()
    expect(page.locator("#form-error")).to_contain_text("is wrong")
    return page


@state("adoption.show", sign_in="visitor,password")
def earlier_conversations(env: Environment) -> Page:
    env.open_conversation("It steers.")
    page = choose_password(env, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your earlier conversations")
    return page
