"""The API key pages."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state

API_KEYS_PATH = "/api/v1/auth/api-keys"


def _submit_form(page: Page, jwt: str) -> Page:
    page.get_by_role("textbox", name="Name").fill("laptop")
    page.get_by_role("textbox", name="JWT").fill(jwt)
    page.get_by_role("button", name="Create key").click()
    return page


@state("keys.new")
def keys(env: Environment) -> Page:
    return env.open("/keys")


@state("keys.create")
def key_rejected(env: Environment) -> Page:
    page = _submit_form(env.open("/keys"), "none")
    page.get_by_role("alert").filter(has_text="doesn't look like a JWT").wait_for()
    return page


@state("keys.create")
def key_created(env: Environment) -> Page:
    env.upstream.answers[API_KEYS_PATH] = (
        201,
        {"data": {"key": "tw_" + "a1b2c3d4" * 6, "name": "laptop"}},
    )
    page = _submit_form(env.open("/keys"), "aaa.bbb.ccc")
    page.get_by_text("able to see it again").wait_for()
    return page
