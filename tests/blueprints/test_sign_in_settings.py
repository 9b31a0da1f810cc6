"""Sign-in pages with other settings: below a sub-path, and without passwords."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from flask import Flask

from tests.support.person import Person
from tests.support.sign_in_steps import add_people, is_signed_in, sign_in
from twindow.core.settings import SignInModes
from twindow.web.container import EXTENSION_KEY, Portal


@pytest.mark.settings(sign_in="password", public_url="https://example.org/chat")
def test_sub_path_without_its_slash_is_redirected(alice: Person):
    assert alice.get("/chat").path == "/chat/session/new"
    response = alice.session.get(f"{alice.base_url}/chat", allow_redirects=False, timeout=10)
    assert response.headers["Location"] == "/chat/"


@pytest.mark.settings(
    sign_in="password,proxy", proxy_user_header="X-Remote-User", proxy_networks="10.9.9.9"
)
def test_password_sign_ins_end_when_passwords_are_turned_off(
    app: Flask, alice: Person, portal: Portal
):
    add_people(portal)
    sign_in(alice)
    settings = msgspec.structs.replace(portal.settings, sign_in=SignInModes("proxy"))
    app.extensions[EXTENSION_KEY] = replace(portal, settings=settings)

    assert not is_signed_in(alice)


@pytest.mark.settings(sign_in="")
def test_sign_in_pages_do_not_exist_when_only_visitors_are_allowed(alice: Person):
    for path in ("/session", "/session/new", "/session/links/x"):
        assert alice.get(path).status == 404
    assert not alice.get("/").html.select_one("a[href^='/session']")
