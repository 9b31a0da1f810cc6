"""Sign-in in Chromium at Glewlwyd, a provider of OpenID Connect in Debian."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from tests.support.glewlwyd import (
    CLIENT_ID,
    CLIENT_SECRET,
    PERSON,
    PERSON_PASSWORD,
    PROGRAM,
    run_glewlwyd,
)
from tests.support.portals import serve
from tests.support.processes import free_port

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(
        os.geteuid() != 0 and not shutil.which(PROGRAM), reason="only root can install Glewlwyd"
    ),
    pytest.mark.timeout(120),
]


@pytest.fixture
def settings(settings: dict[str, Any], tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Run Glewlwyd, and return the settings of a portal whose people sign in there."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with run_glewlwyd(tmp_path, url) as issuer:
        yield settings | {
            "sign_in": "oidc",
            "port": port,
            "public_url": url,
            "oidc_issuer": issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
            "oidc_name": "Glewlwyd",
        }


@pytest.fixture
def url(app: Flask, settings: dict[str, Any]) -> Iterator[str]:
    with serve(app, settings["port"]) as url:
        yield url


def test_person_signs_in_at_glewlwyd_and_is_named_in_the_portal(browser: Browser, url: str):
    page = browser.new_page(base_url=url)
    page.goto("/twins/ada")
    page.get_by_role("link", name="Sign in with Glewlwyd").click()
    page.locator("#username").fill(PERSON)
    page.locator("#password").fill(PERSON_PASSWORD)
    page.get_by_role("button", name="OK").click()
    for scope in ("profile", "email"):
        page.locator(f"#grant-{scope}").check()
    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    expect(page.get_by_text("Anna Berg (anna@example.org)")).to_be_attached()
    page.close()
