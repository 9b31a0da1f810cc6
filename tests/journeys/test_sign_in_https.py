"""Signing in over HTTPS: nginx in front of a portal in its own process, as in production."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from accounts import Accounts
from chat.schema import counters
from core.db.counters import Counters
from core.db.database import Database
from tests.accounts.passwords import PASSWORD
from tests.support import nginx
from tests.support.certificates import CertificateAuthority
from tests.support.chromium import WAIT_MS
from tests.support.person import Person
from tests.support.processes import run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream

pytestmark = pytest.mark.usefixtures("processes")
SECRET_KEY = "secret" * 6


@pytest.fixture
def url(tmp_path: Path, upstream: Upstream) -> Iterator[str]:
    """Run the portal and nginx, and return the HTTPS URL."""
    (tmp_path / "certificates").mkdir()
    certificate = CertificateAuthority(tmp_path / "certificates").make_signed("localhost")
    settings = {
        "API_URL": upstream.url,
        "API_KEY": UPSTREAM_KEY,
        "SECRET_KEY": SECRET_KEY,
        "SIGN_IN": "password",
    }
    with (
        run_server(tmp_path / "data", "app.py", **settings) as server,
        nginx.run_nginx(server.url, tmp_path / "nginx", certificate=certificate) as url,
    ):
        Person(server.url).get("/readyz")  # the portal responds once the tables exist
        yield url


@pytest.fixture
def link(url: str, tmp_path: Path) -> Iterator[str]:
    """Return the URL of Anna's one-time link, which another process creates."""
    database = Database(f"sqlite:///{tmp_path / 'data' / 'portal.db'}")
    accounts = Accounts(database, Counters(counters), SECRET_KEY, idle_seconds=60, max_seconds=60)
    yield f"{url}/session/links/{accounts.create_link(accounts.people.add('Anna'))}"
    database.close()


def test_person_chooses_a_password_and_signs_out_and_in_over_https(
    browser: Browser, url: str, link: str
):
    context = browser.new_context(base_url=url, ignore_https_errors=True)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{url}/")
    cookies = {cookie["name"]: cookie for cookie in context.cookies()}
    assert cookies["__Host-twindow"]["secure"]

    page.goto("/session")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.get_by_role("textbox", name="Name").fill("anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{url}/")
    context.close()
