"""A portal in its own process below a path of an HTTPS host, behind nginx, as in production."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support import nginx
from tests.support.certificates import CertificateAuthority
from tests.support.chromium import WAIT_MS
from tests.support.page_steps import message_box, reply_text, send_message
from tests.support.passwords import PASSWORD
from tests.support.person import Person
from tests.support.processes import run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream
from twindow.accounts import Accounts
from twindow.chat.schema import counters
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database

pytestmark = pytest.mark.usefixtures("processes")
SECRET_KEY = "secret" * 6


@pytest.fixture
def url(tmp_path: Path, upstream: Upstream) -> Iterator[str]:
    """Serve the portal at /chat behind nginx, which serves nothing else."""
    (tmp_path / "certificates").mkdir()
    certificate = CertificateAuthority(tmp_path / "certificates").make_signed("localhost")
    settings = {
        "API_URL": upstream.url,
        "API_KEY": UPSTREAM_KEY,
        "SECRET_KEY": SECRET_KEY,
        "SIGN_IN": "password",
        "PUBLIC_URL": "https://example.org/chat/",
    }
    with (
        run_server(tmp_path / "data", "app.py", **settings) as server,
        nginx.run_nginx(
            server.url, tmp_path / "nginx", certificate=certificate, path="/chat/"
        ) as url,
    ):
        Person(server.url).get("/readyz")  # the portal responds once the tables exist
        yield f"{url}/chat"


@pytest.fixture
def link(url: str, tmp_path: Path) -> Iterator[str]:
    """Return the URL of Anna's one-time link, which another process creates."""
    database = Database(f"sqlite:///{tmp_path / 'data' / 'portal.db'}")
    accounts = Accounts(database, Counters(counters), SECRET_KEY, idle_seconds=60, max_seconds=60)
    yield f"{url}/session/links/{accounts.create_link(accounts.people.add('Anna'))}"
    database.close()


def sign_in(page: Page) -> None:
    page.get_by_role("textbox", name="Name").fill("anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_person_chooses_a_password_chats_and_signs_out_and_in_below_a_path(
    browser: Browser, upstream: Upstream, url: str, link: str
):
    context = browser.new_context(ignore_https_errors=True)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    outside: list[str] = []
    page.on("request", lambda request: request.url.startswith(url) or outside.append(request.url))
    page.goto(link)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{url}/")
    cookies = {cookie["name"]: cookie for cookie in context.cookies()}
    assert cookies["__Host-twindow%2Fchat"]["secure"]

    page.get_by_role("link", name="Ada").click()
    page.wait_for_load_state()
    send_message(page, "Hello")
    call = upstream.next_call().start_stream()
    expect(page).to_have_url(re.compile(rf"{url}/conversations/[\w-]+$"))
    call.delta("It **steers")
    expect(reply_text(page)).to_have_text("It steers")
    call.complete("It **steers**.")
    expect(reply_text(page, "complete")).to_have_text("It steers.")
    send_message(page, "Why?")
    upstream.next_call().start_stream().complete("Because.")
    expect(reply_text(page, "complete", 1)).to_have_text("Because.")
    expect(message_box(page)).to_have_value("")
    page.get_by_role("link", name="All conversations").click()
    page.get_by_role("main").get_by_role("link", name="Hello").click()
    expect(reply_text(page, "complete", 1)).to_have_text("Because.")

    conversation_url = page.url
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto(conversation_url)
    sign_in(page)
    expect(page).to_have_url(conversation_url)
    assert outside == []
    context.close()
