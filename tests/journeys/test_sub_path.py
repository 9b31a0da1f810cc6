"""The portal below the root of its host, behind nginx: no request leaves the sub-path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import BrowserContext, expect

from tests.accounts.passwords import FAST_HASHER, PASSWORD
from tests.journeys.steps import message_box, reply_text, send_message
from tests.support import nginx
from tests.support.portals import serve
from tests.support.upstream import Upstream
from web.container import Portal

pytestmark = [
    pytest.mark.usefixtures("processes"),
    pytest.mark.settings(sign_in="password", public_url="https://example.org/chat/"),
]


@pytest.fixture
def url(app: Flask, tmp_path: Path) -> Iterator[str]:
    """Serve the portal at /chat behind nginx, which serves nothing else."""
    with serve(app) as url, nginx.run_nginx(url, tmp_path / "nginx", path="/chat/") as url:
        yield f"{url}/chat"


@pytest.fixture
def link(portal: Portal) -> str:
    """Add Anna, and return the path of her one-time link."""
    portal.accounts.passwords.hasher = FAST_HASHER
    person = portal.accounts.people.add("Anna")
    return f"/session/links/{portal.accounts.create_link(person)}"


def test_person_signs_in_chats_and_signs_out_below_a_sub_path(
    context: BrowserContext, upstream: Upstream, url: str, link: str
):
    page = context.new_page()
    page.goto(url + link)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{url}/")
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

    [cookie] = [cookie for cookie in context.cookies() if cookie["name"] == "twindow%2Fchat"]
    assert cookie["path"] == "/"
    page.get_by_role("link", name="All conversations").click()
    page.get_by_role("main").get_by_role("link", name="Hello").click()
    expect(reply_text(page, "complete", 1)).to_have_text("Because.")
    conversation_url = page.url
    page.get_by_role("button", name="More pages").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto(conversation_url)
    page.get_by_role("textbox", name="Name").fill("Anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(conversation_url)
