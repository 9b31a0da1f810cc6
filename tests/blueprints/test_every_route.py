"""What holds on every page and for every form, whatever its route.

The routes are those of the URL map. What belongs to somebody else is in test_isolation.py.
"""

from __future__ import annotations

import re

import pytest
from flask import Flask

from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.sign_in_steps import sign_in
from tests.support.upstream import Upstream
from twindow.accounts import Accounts

# What signed-out people may request on a portal that does not allow visitors.
PUBLIC = re.compile(r"/(session|static|livez|healthz|readyz|favicon|manifest|robots|pref|help)")
PREFERENCES = {"theme": "dark", "text": "large", "enter": "newline"}

pytestmark = pytest.mark.settings(sign_in="visitor,password")


def urls(app: Flask, *methods: str, **ids: str) -> list[tuple[str, str]]:
    """Return the method and the path of each route, with these ids in place of its parameters."""
    found = [("GET", "/no/such/page")]
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: ids.get(match[1], "x" * 12), rule.rule)
        found += [(method, path) for method in sorted({*methods} & (rule.methods or set()))]
    return found


@pytest.fixture
def pages(app: Flask, alice: Person, accounts: Accounts, upstream: Upstream) -> dict[str, Page]:
    """Return each page by its path. Alice is signed in as Anna and has a conversation."""
    sign_in(alice)
    page = complete_first_turn(alice, upstream, "Why is the sky blue?", "It scatters")
    token = accounts.create_link(accounts.people.add("Cleo"))
    ids = {"conversation_id": page.path.rpartition("/")[2], "twin_id": "ada", "token": token}
    opened = {path: alice.get(path) for _, path in urls(app, "GET", **ids)}
    pages = {path: page for path, page in opened.items() if page.path == path and page.html.html}
    missing = [path for path, page in pages.items() if page.status != 200]
    assert len(pages) - len(missing) >= 10, pages.keys()
    assert {pages[path].status for path in missing} == {404}
    # One page stands for all that are missing.
    return {path: page for path, page in pages.items() if path not in missing[1:]}


def test_each_page_has_one_heading_and_a_title_of_its_own(pages: dict[str, Page]):
    titles = [page.html.title.get_text() for page in pages.values()]

    assert len(set(titles)) == len(titles)
    assert [title for title in titles if not title.endswith(" · Twindow")] == []
    assert [path for path, page in pages.items() if len(page.html.select("h1")) != 1] == []


def test_every_page_has_security_headers_and_is_not_stored(pages: dict[str, Page]):
    def check(page: Page) -> None:
        headers = page.response.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert {"Accept-Language", "Cookie"} <= set(headers["Vary"].split(", "))

    assert failures(check, pages) == {}


def test_every_page_has_the_language_and_the_preferences_of_its_person(
    alice: Person, bob: Person, pages: dict[str, Page]
):
    alice.press(alice.get("/preferences"), "Save", language="ar", **PREFERENCES)

    def check(path: str) -> None:
        page = alice.get(path, **{"Accept-Language": "de"})
        html = page.html.html.attrs
        assert (html["lang"], html["dir"]) == ("ar", "rtl")
        assert page.response.headers["Content-Language"] == "ar"
        assert {
            f"data-{name}": value for name, value in PREFERENCES.items()
        }.items() <= html.items()
        other = bob.get(path, **{"Accept-Language": "de"}).html.html.attrs
        assert other["lang"] == "de"
        assert [name for name in other if name.startswith("data-")] == []

    assert failures(check, {path: path for path in pages}) == {}


def test_sidebar_of_every_page_lists_the_newest_conversations(bob: Person, pages: dict[str, Page]):
    def check(page: Page) -> None:
        shown = page.html.select("#recent li span")
        assert [link.get_text() for link in shown] == ["Why is the sky blue?"]
        is_open = page.path.startswith("/conversations/")
        assert bool(page.html.select("#recent li [aria-current]")) == is_open

    assert failures(check, pages) == {}
    assert bob.get("/").html.select("#recent li") == []


@pytest.mark.settings(sign_in="password")
def test_every_url_that_is_not_public_leads_signed_out_people_to_the_sign_in_page(
    app: Flask, alice: Person, accounts: Accounts
):
    def check(url: tuple[str, str]) -> None:
        method, path = url
        address = alice.base_url + path
        page, fragment = (
            alice.session.request(method, address, headers=headers, allow_redirects=False)
            for headers in ({}, HTMX_HEADERS)
        )
        assert page.status_code == 303
        assert page.headers["Location"].startswith("/session/new")
        assert (fragment.status_code, fragment.text) == (204, "")
        assert fragment.headers["HX-Redirect"].startswith("/session/new")

    # A stream says in its frames that the session has ended, see test_session.py.
    private = [
        url
        for url in urls(app, "GET", "POST")
        if not PUBLIC.match(url[1]) and not url[1].endswith("/events")
    ]
    assert len(private) > 20
    assert failures(check, {repr(url): url for url in private}) == {}


def test_links_to_actions_are_rejected(app: Flask, alice: Person):
    gets = {path for _, path in urls(app, "GET")}
    actions = {path for _, path in urls(app, "POST")} - gets

    assert len(actions) >= 10
    assert [path for path in actions if alice.get(path).status != 405] == []


def test_every_form_is_rejected_from_another_origin_and_without_cookies(
    app: Flask, accounts: Accounts
):
    client = app.test_client(use_cookies=False)

    def check(path: str) -> None:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            foreign = client.open(path, method=method, headers={"Sec-Fetch-Site": "cross-site"})
            assert foreign.status_code == 403
        without_cookies = client.post(path, headers={"Sec-Fetch-Site": "same-origin"})
        assert without_cookies.status_code == 400
        assert "Nothing was sent, because your browser" in without_cookies.text

    paths = [path for method, path in urls(app, "POST") if method == "POST"]
    assert len(paths) > 15
    assert failures(check, {path: path for path in paths}) == {}
