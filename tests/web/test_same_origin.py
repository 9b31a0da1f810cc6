"""Forms of other origins are rejected: browsers report the origin that submits a form."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Upstream

HOST, PROXY, OTHER = "chat.example:8000", "10.0.0.1", "192.0.2.1"
FORWARDED = {"X-Forwarded-Host": "public.example:8443, inner.example"}
FOREIGN: list[tuple[str, dict[str, str]]] = [
    (OTHER, {"Sec-Fetch-Site": "cross-site"}),
    (OTHER, {"Sec-Fetch-Site": "same-site"}),
    (OTHER, {"Sec-Fetch-Site": "", "Origin": f"http://{HOST}"}),
    (OTHER, {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"}),
    (OTHER, {"Origin": "https://evil.example"}),
    (OTHER, {"Origin": "http://chat.example:8001"}),
    (OTHER, {"Origin": "http://chat.example"}),
    (OTHER, {"Origin": f"https://{HOST}"}),
    (OTHER, {"Origin": f"http://sub.{HOST}"}),
    (OTHER, {"Origin": "null"}),
    (OTHER, {"Origin": "http://[::1"}),
    (OTHER, {"Origin": "http://chat.example:x"}),
    (OTHER, {"Origin": ""}),
    (OTHER, FORWARDED | {"Origin": "http://public.example:8443"}),
    (PROXY, FORWARDED | {"Origin": "http://inner.example"}),
]
OWN: list[tuple[str, dict[str, str]]] = [
    (OTHER, {}),
    (OTHER, {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind-a-proxy.example"}),
    (OTHER, {"Sec-Fetch-Site": "none"}),
    (OTHER, {"Origin": f"HTTP://{HOST.upper()}"}),
    (OTHER, {"Origin": "https://public.example"}),
    (OTHER, {"Origin": "https://public.example:443"}),
    (PROXY, FORWARDED | {"Origin": "http://public.example:8443"}),
]


pytestmark = pytest.mark.settings(public_url="https://public.example", trusted_proxies=PROXY)


def status_of_form(app: Flask, peer: str, headers: dict[str, str]) -> int:
    """Save preferences in a new browser; return the status of the response."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = peer
    url = f"http://{HOST}/preferences"
    client.get(url)
    return client.post(url, data={"theme": "dark"}, headers=headers).status_code


@pytest.mark.parametrize(("cases", "status"), [(FOREIGN, 403), (OWN, 303)], ids=["foreign", "own"])
def test_forms_of_other_origins_are_rejected(
    app: Flask, cases: list[tuple[str, dict[str, str]]], status: int
):
    def check(case: tuple[str, dict[str, str]]) -> None:
        assert status_of_form(app, *case) == status

    assert failures(check, {repr(case): case for case in cases}) == {}


def test_rejected_form_returns_its_text(alice: Person, upstream: Upstream):
    action, fields = alice.get("/twins/ada").button_action("Send")
    page = alice.post(action, fields | {"content": "Hello"}, Origin="http://evil.example")

    assert page.status == 403
    assert page.html.select_one("textarea").get_text() == "Hello"
    assert upstream.sent_messages() == []
