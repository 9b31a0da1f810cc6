"""Forms of other sites are rejected: browsers report the site that submits a form."""

from __future__ import annotations

import pytest

from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Upstream

FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://[::1"},
    {"Origin": ""},
]
OWN: list[dict[str, str]] = [
    {},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind-a-proxy.example"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "HTTP://127.0.0.1"},
    {"Origin": "https://127.0.0.1:8443"},
    {"Origin": "http://chat.example:8080", "X-Forwarded-Host": "chat.example, proxy.example"},
]


def test_form_of_another_site_is_rejected_despite_its_csrf_token(alice: Person, upstream: Upstream):
    def check(headers: dict[str, str]) -> None:
        action, fields = alice.get("/twins/ada").button_action("Send")
        page = alice.post(action, fields | {"content": "Hello"}, **headers)
        assert page.status == 400
        assert page.html.select_one("textarea").get_text() == "Hello"

    assert failures(check, {str(headers): headers for headers in FOREIGN}) == {}
    assert upstream.calls == [call for call in upstream.calls if call.method == "GET"]


@pytest.mark.parametrize("headers", OWN, ids=str)
def test_form_of_the_portal_is_accepted(alice: Person, headers: dict[str, str]):
    action, fields = alice.get("/preferences").button_action("Save")
    fields |= {"theme": "dark"}

    assert alice.session.post(
        alice.base_url + action, data=fields, headers=headers, allow_redirects=False
    ).status_code in (302, 303)
