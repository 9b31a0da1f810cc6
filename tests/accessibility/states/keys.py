"""The API key pages."""

from dataclasses import replace

from playwright.sync_api import Page, expect

from tests.accessibility.environment import Environment, state
from tests.accessibility.states.session import SETTINGS, choose_password
from tests.support.passwords import PASSWORD
from tests.support.portals import get_portal
from twindow.service.conversations import Conversations
from twindow.service.credentials import ApiKeys, JwtTokens
from twindow.service.key_issuer import KeyIssuer
from twindow.web.container import EXTENSION_KEY

API_KEYS_PATH = "/api/v1/auth/api-keys"


def _submit_form(page: Page, jwt: str) -> Page:
    page.get_by_role("textbox", name="Name").fill("laptop")
    page.get_by_role("textbox", name="JWT").fill(jwt)
    page.get_by_role("button", name="Create key").click()
    return page


@state("keys.create", status=422)
def key_rejected(env: Environment) -> Page:
    page = _submit_form(env.open("/keys"), "none")
    page.get_by_role("alert").filter(has_text="doesn't look like a JWT").wait_for()
    return page


@state("keys.create")
def key_created(env: Environment) -> Page:
    created = {"key": "tw_" + "a1b2c3d4" * 6, "name": "laptop"}
    env.upstream.answers[API_KEYS_PATH] = 201, {"data": created}
    page = _submit_form(env.open("/keys"), "aaa.bbb.ccc")
    page.get_by_text("able to see it again").wait_for()
    return page


@state("keys.new", **SETTINGS)
def own_keys(env: Environment) -> Page:
    portal = get_portal(env.app)
    issuer = KeyIssuer(
        JwtTokens(portal.settings), ApiKeys(portal.database), Conversations(portal.database)
    )
    env.app.extensions[EXTENSION_KEY] = replace(portal, key_issuer=issuer)
    times = {"createdAt": "2026-03-01T12:00:00Z", "lastUsedAt": "2026-03-02T12:00:00Z"}
    keys = [
        {"id": "a", "name": "laptop", "scope": "read_only"} | times,
        {"id": "b", "name": "x" * 100, "scope": "full_access", "createdAt": times["createdAt"]},
    ]
    env.upstream.answers[API_KEYS_PATH] = 200, {"data": keys}
    choose_password(env, PASSWORD)
    page = env.open("/keys")
    expect(page.get_by_role("button", name="Revoke")).to_have_count(2)
    return page
