"""Sign-in pages."""

from playwright.sync_api import Page, expect

from tests.accessibility.environment import Environment, state
from tests.accounts.passwords import FAST_HASHER, PASSWORD
from tests.support.portals import get_portal

SETTINGS = {"sign_in": "password", "sign_in_attempt_limit": 1}


def _create_link(env: Environment) -> str:
    accounts = get_portal(env.app).accounts
    accounts.passwords.hasher = FAST_HASHER
    return f"/session/links/{accounts.create_link(accounts.people.add('Anna'))}"


def _sign_in(env: Environment, password: str) -> Page:
    page = env.open("/session/new")
    page.get_by_role("textbox", name="Name").fill("Anna")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    return page


def _choose_password(env: Environment, password: str) -> Page:
    page = env.open(_create_link(env))
    page.get_by_label("Password").fill(password)
    page.locator("main form").evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Save").click()
    return page


@state("session.new", **SETTINGS)
def sign_in(env: Environment) -> Page:
    return env.open("/session/new")


@state("session.create", **SETTINGS)
def sign_in_rejected(env: Environment) -> Page:
    page = _sign_in(env, "wrong")
    expect(page.locator("#form-error")).to_contain_text("wrong")
    return page


@state("session.create", **SETTINGS)
def sign_in_attempts_exceeded(env: Environment) -> Page:
    _sign_in(env, "wrong")
    page = _sign_in(env, "wrong")
    expect(page.locator("#form-error")).to_contain_text("too many attempts")
    return page


@state("session.show_link", **SETTINGS)
def password_link(env: Environment) -> Page:
    return env.open(_create_link(env))


@state("session.use_link", **SETTINGS)
def password_rejected(env: Environment) -> Page:
    page = _choose_password(env, "short")
    expect(page.locator("#form-error")).to_contain_text("at least 12 characters")
    return page


@state("session.show_link", **SETTINGS)
def password_link_used(env: Environment) -> Page:
    return env.open("/session/links/none")


@state("session.show", **SETTINGS)
def signed_in_browsers(env: Environment) -> Page:
    page = _choose_password(env, PASSWORD)
    accounts = get_portal(env.app).accounts
    accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox, Linux")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return env.open("/session")


@state("session.delete", **SETTINGS)
def signed_out(env: Environment) -> Page:
    _choose_password(env, PASSWORD)
    page = env.open("/session")
    page.get_by_role("main").get_by_role("button", name="Sign out", exact=True).first.click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    return page


@state("session.delete_sign_in", **SETTINGS)
def signed_out_elsewhere(env: Environment) -> Page:
    _choose_password(env, PASSWORD)
    get_portal(env.app).accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox, Linux")
    page = env.open("/session")
    page.locator(".sign-ins li", has_text="Firefox, Linux").get_by_role("button").click()
    expect(page.locator(".sign-ins li")).to_have_count(1)
    return page


def _sign_in_after_chatting(env: Environment) -> Page:
    env.open_conversation("It steers.")
    return _choose_password(env, PASSWORD)


@state("adoption.show", sign_in="visitor,password")
def earlier_conversations(env: Environment) -> Page:
    page = _sign_in_after_chatting(env)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your earlier conversations")
    return page


@state("adoption.create", sign_in="visitor,password")
def earlier_conversations_adopted(env: Environment) -> Page:
    page = _sign_in_after_chatting(env)
    page.get_by_role("button", name="Move to my account").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


PROXY = {
    "sign_in": "password,proxy",
    "proxy_user_header": "X-Remote-User",
    "proxy_networks": "127.0.0.1",
}


def _open_identity_link(env: Environment) -> Page:
    _choose_password(env, PASSWORD)
    accounts = get_portal(env.app).accounts
    token = accounts.create_link(accounts.people.find("Anna"), "identity")
    env.page.context.set_extra_http_headers({"X-Remote-User": "a.meier"})
    return env.open(f"/session/identity/{token}")


@state("identity_links.show", **PROXY)
def identity_link(env: Environment) -> Page:
    return _open_identity_link(env)


@state("identity_links.create", **PROXY)
def identity_link_rejected(env: Environment) -> Page:
    page = _open_identity_link(env)
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Link accounts").click()
    expect(page.locator("#form-error")).to_contain_text("wrong")
    return page
