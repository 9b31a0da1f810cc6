"""API keys: created at the service, and shown once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient

from tests.support.cases import failures
from tests.support.html import parse_html
from tests.support.person import Person
from tests.support.portals import close_portal
from tests.support.upstream import Upstream
from twindow import application

API_KEYS = "/api/v1/auth/api-keys"
GOOD = {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}
# Each case has the submitted field, the error message, and the fields marked as invalid.
REFUSED = [
    ({"name": " "}, "Enter a name", ["name"]),
    ({"name": "x" * 101}, "Enter a name", ["name"]),
    ({"scope": "everything"}, "Choose the permissions", []),
    ({"jwt": "not a token"}, "doesn't look like a JWT", ["jwt"]),
    ({"jwt": "a.b.c\r\nX-Evil: 1"}, "doesn't look like a JWT", ["jwt"]),
]


def test_key_form_with_an_invalid_field_is_rejected(alice: Person, upstream: Upstream):
    def check(case: tuple[dict[str, str], str, list[str]]) -> None:
        fields, sentence, wrong = case
        page = alice.press(alice.get("/keys"), "Create key", **(GOOD | fields))
        assert page.status == 422
        assert sentence in page.text
        invalid = page.html.select("[aria-invalid=true][aria-describedby~=form-error]")
        assert [field["name"] for field in invalid] == wrong
        assert "autofocus" in page.html.select_one("#form-error").attrs

    assert failures(check, {repr(case[0]): case for case in REFUSED}) == {}
    assert upstream.calls == []


def test_jwt_rejected_by_the_service_is_reported(alice: Person, upstream: Upstream):
    upstream.answers[API_KEYS] = 401, {"error": "expired"}
    page = alice.press(alice.get("/keys"), "Create key", **GOOD)

    assert page.status == 403
    assert "didn't accept this JWT" in page.text
    assert page.html.select_one("[aria-invalid=true]")["name"] == "jwt"
    assert page.html.select_one("#name")["value"] == "laptop"
    assert "a.b.c" not in page.response.text


@pytest.fixture
def form(alice: Person, upstream: Upstream) -> tuple[str, dict[str, str]]:
    """Return the URL and the fields of a form; the service creates keys."""
    upstream.answers[API_KEYS] = 201, {"data": {"key": "tw_once"}}
    action, fields = alice.get("/keys").button_action("Create key")
    return action, fields | GOOD


def test_key_form_submitted_again_creates_no_second_key(
    alice: Person, upstream: Upstream, form: tuple[str, dict[str, str]]
):
    upstream.unanswered_paths.add(API_KEYS)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(alice.post, *form)
        call = upstream.next_call()
        upstream.unanswered_paths.clear()
        during = alice.post(*form)
        call.respond(201, {"data": {"key": "tw_once"}})
    after = alice.post(*form)

    assert "tw_once" in first.result().text
    for again in (during, after):
        assert (again.status, "tw_once" in again.text) == (409, False)
    assert len(upstream.calls) == 1


def test_idempotency_key_of_the_form_is_truncated(alice: Person, form: tuple[str, dict[str, str]]):
    action, fields = form
    alice.post(action, fields | {"idempotency_key": "\0" + "x" * 64 + "a"})

    assert alice.post(action, fields | {"idempotency_key": "x" * 64 + "b" * 576}).status == 409


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[FlaskClient]:
    """Return a client of a portal with the embedded service."""
    portal = application.create_app({"data_dir": tmp_path / "own"})
    yield portal.test_client()
    close_portal(portal)


def test_only_a_portal_with_an_embedded_service_links_to_keys_and_to_the_api_docs(
    embedded: FlaskClient, alice: Person
):
    def menu_items(page: BeautifulSoup) -> list[str]:
        return [link.get_text() for link in page.select("#more a")]

    keys_page = parse_html(embedded.get("/keys").text)
    link = keys_page.find("a", string="API documentation")
    assert embedded.get(link["href"]).status_code == 200
    assert menu_items(keys_page) == ["Preferences", "Help", "API keys", "Keyboard shortcuts"]

    other_page = alice.get("/keys").html
    assert not other_page.find("a", string="API documentation")
    assert menu_items(other_page) == ["Preferences", "Help", "Keyboard shortcuts"]
