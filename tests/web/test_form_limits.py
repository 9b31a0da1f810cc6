"""Limits of forms: per browser and per address. Addresses of browsers."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.support.cases import failures
from tests.support.clock import AdjustableClock
from tests.support.html import parse_html
from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from twindow.web.person.client_address import _log_unknown_address, client_address, visitor_address

LIMIT = 3
API_KEYS = "/api/v1/auth/api-keys"
GOOD = {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}
DAY_SECONDS = 24 * 3600
TOO_MANY = "There were too many requests for API keys"


@pytest.fixture
def settings(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Allow few requests, and trust two proxies."""
    monkeypatch.setattr("twindow.web.form_limits.MAX_KEY_REQUESTS", LIMIT)
    return settings | {"trusted_proxies": "10.0.0.1, 10.1.0.0/16"}


@pytest.mark.limit("L6")
def test_api_key_creation_is_limited_per_browser_and_hour(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    upstream.answers[API_KEYS] = 201, {"data": {"key": "tw_once"}}

    def request_key() -> Page:
        return alice.press(alice.get("/keys"), "Create key", **GOOD)

    pages = [request_key() for _ in range(10 * LIMIT)]
    assert [page.status for page in pages] == [200] * LIMIT + [429] * 9 * LIMIT
    assert TOO_MANY in pages[-1].html.select_one("#form-error").get_text()
    assert pages[-1].html.select_one("#name")["value"] == "laptop"
    assert 0 < int(pages[-1].response.headers["Retry-After"]) <= 3_600
    assert len(upstream.calls) == LIMIT
    clock.advance(3_600)
    assert request_key().status == 200


@pytest.mark.limit("L13")
def test_api_key_creation_is_limited_per_address_even_with_fresh_cookies(
    app: Flask, upstream: Upstream
):
    upstream.answers[API_KEYS] = 201, {"data": {"key": "tw_once"}}

    def request_key_from(address: str) -> int:
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        form = parse_html(client.get("/keys").text)
        fields = {tag["name"]: tag["value"] for tag in form.select("input[type=hidden]")}
        return client.post("/keys", data=fields | GOOD).status_code

    same = [request_key_from("192.0.2.1") for _ in range(10 * LIMIT)]
    assert same == [200] * LIMIT + [429] * 9 * LIMIT
    assert request_key_from("192.0.2.2") == 200


# Cases: address of the connection, X-Forwarded-For, and the expected browser address.
ADDRESSES = [
    ("192.0.2.1", "", "192.0.2.1"),
    ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
    ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
    ("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.1.2.3", "198.51.100.7"),
    ("10.0.0.1", "203.0.113.9, nonsense, 10.1.2.3", "10.1.2.3"),
    ("10.0.0.1", "", "10.0.0.1"),
    ("::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
    ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
    ("10.0.0.1", "198.51.100.7:5678", "198.51.100.7"),
    ("10.0.0.1", "203.0.113.9, 198.51.100.7:5678, 10.1.2.3:80", "198.51.100.7"),
    ("10.0.0.1", "[2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"),
    ("10.0.0.1", "[2001:db8:1:2:3::4]", "2001:db8:1:2::/64"),
    ("10.0.0.1", "[::ffff:198.51.100.7]:443", "198.51.100.7"),
    ("10.0.0.1", "198.51.100.7:x", "10.0.0.1"),
    ("10.0.0.1", "2001:db8:1:2:3::4:80", "2001:db8:1:2::/64"),
    ("10.0.0.1", "198.51.100.7" + 19 * ", 10.1.2.3", "198.51.100.7"),
    ("10.0.0.1", "198.51.100.7" + 200 * ", 10.1.2.3", "10.1.2.3"),
    ("", "", ""),
]


def test_address_of_the_browser_is_found_behind_trusted_proxies_only(app: Flask):
    def check(case: tuple[str, str, str]) -> None:
        remote, forwarded, expected = case
        with app.test_request_context(
            headers={"X-Forwarded-For": forwarded}, environ_base={"REMOTE_ADDR": remote}
        ):
            assert client_address() == expected

    assert failures(check, {repr(case): case for case in ADDRESSES}) == {}


# Cases behind a trusted proxy: X-Forwarded-For, Forwarded, and the expected browser address.
FORWARDED = [
    ("", "for=192.0.2.1", "192.0.2.1"),
    ("", 'for=192.0.2.9, For="192.0.2.1:80";proto=https;by=10.0.0.1', "192.0.2.1"),
    ("", 'for="[2001:db8:1:2::3]:4711"', "2001:db8:1:2::/64"),
    ("", "for=192.0.2.1, for=10.0.0.1", "192.0.2.1"),
    ("", "for=unknown", "10.0.0.1"),
    ("", "for=192.0.2.1, for=_hidden", "10.0.0.1"),
    ("", "proto=https", "10.0.0.1"),
    ("", "for=192.0.2.1" + 200 * ", for=10.0.0.2", "10.0.0.2"),
    ("192.0.2.1", "for=192.0.2.1", "192.0.2.1"),
    ("192.0.2.1", "for=192.0.2.2", "10.0.0.1"),
    ("192.0.2.1", "nonsense", "10.0.0.1"),
]


def test_forwarded_header_is_used_unless_it_contradicts_x_forwarded_for(app: Flask):
    def check(case: tuple[str, str, str]) -> None:
        x_forwarded_for, forwarded, expected = case
        headers = {"X-Forwarded-For": x_forwarded_for, "Forwarded": forwarded}
        with app.test_request_context(headers=headers, environ_base={"REMOTE_ADDR": "10.0.0.1"}):
            assert client_address() == expected

    assert failures(check, {repr(case): case for case in FORWARDED}) == {}


def test_address_of_a_visitor_is_stored_as_a_hash_that_changes_daily(
    app: Flask, clock: AdjustableClock
):
    def hashed(address: str, at: float) -> str | None:
        clock.set_wall_clock(at)
        with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
            return visitor_address()

    first = hashed("192.0.2.1", DAY_SECONDS)
    assert first
    assert "192.0.2.1" not in first
    assert hashed("192.0.2.1", 2 * DAY_SECONDS - 1) == first
    assert hashed("192.0.2.1", 2 * DAY_SECONDS) != first
    assert hashed("192.0.2.2", DAY_SECONDS) != first
    assert hashed("2001:db8:1:2::3", DAY_SECONDS) == hashed("2001:db8:1:2::4", DAY_SECONDS)


def test_browsers_whose_address_is_unknown_share_the_one_of_their_proxy(
    app: Flask, caplog: pytest.LogCaptureFixture
):
    def counted_as(peer: str = "10.0.0.1", **headers: str) -> str | None:
        with app.test_request_context(
            headers={name.replace("_", "-"): value for name, value in headers.items()},
            environ_base={"REMOTE_ADDR": peer},
        ):
            return visitor_address()

    _log_unknown_address.cache_clear()
    unknown = counted_as()
    assert not caplog.records  # this may be a person at the machine itself
    assert unknown
    assert counted_as(X_Forwarded_For="192.0.2.1", Forwarded="x") == unknown
    assert counted_as(X_Forwarded_For="192.0.2.2", Forwarded="for=192.0.2.3") == unknown
    assert counted_as(X_Forwarded_Proto="https") == unknown
    assert counted_as("10.0.0.2", Via="1.1 proxy") != unknown
    assert [(record.name, record.levelname) for record in caplog.records] == [
        ("twindow.addresses", "WARNING")
    ]
    assert "10.0.0.1" in caplog.text
