"""API keys: created at the service, and shown once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient

import app as twindow
from tests.support.cases import failures
from tests.support.html import parse_html
from tests.support.person import Person
from tests.support.portals import close_portal
from tests.support.upstream import Upstream

# Each case has the submitted field, the error message, and the fields marked as invalid.
REFUSED = [
    ({"name": " "}, "Enter a name", ["name"]),
    ({"name": "x" * 101}, "Enter a name", ["name"]),
    ({"scope": "everything"}, "Choose the permissions", []),
    ({"jwt": "not a token"}, "doesn't look like a JWT", ["jwt"]),
    ({"jwt": "a.b.c\r\nX-Evil: 1"}, "doesn't look like a JWT", ["jwt"]),
]


def test_key_form_with_an_invalid_field_is_rejected(alice: Person, upstream: Upstream):
    good = {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}

    def check(case: tuple[dict[str, str], str, list[str]]) -> None:
        fields, sentence, wrong = case
        page = alice.press(alice.get("/keys"), "Create key", **(good | fields))
        assert page.status == 422
        assert sentence in page.text
        invalid = page.html.select("[aria-invalid=true][aria-describedby~=form-error]")
        assert [field["name"] for field in invalid] == wrong
        assert "autofocus" in page.html.select_one("#form-error").attrs

    assert failures(check, {repr(case[0]): case for case in REFUSED}) == {}
    assert upstream.calls == []


def test_jwt_rejected_by_the_service_is_reported(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 401, {"error": "expired"}
    form = alice.get("/keys")
    page = alice.press(form, "Create key", name="laptop", scope="read_only", jwt="a.b.c")

    assert page.status == 403
    assert "didn't accept this JWT" in page.text
    assert page.html.select_one("[aria-invalid=true]")["name"] == "jwt"
    assert page.html.select_one("#name")["value"] == "laptop"
    assert "a.b.c" not in page.response.text


def test_reloading_the_new_key_page_creates_no_second_key(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_once"}}
    action, fields = alice.get("/keys").button_action("Create key")
    fields |= {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}

    first, second = alice.post(action, fields), alice.post(action, fields)

    assert "tw_once" in first.text
    assert (second.status, "tw_once" in second.text) == (409, False)
    assert len(upstream.calls) == 1


def test_key_form_submitted_twice_at_once_creates_one_key(alice: Person, upstream: Upstream):
    upstream.unanswered_paths.add("/api/v1/auth/api-keys")
    action, fields = alice.get("/keys").button_action("Create key")
    fields |= {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(alice.post, action, fields)
        call = upstream.next_call()
        upstream.unanswered_paths.clear()
        second = alice.post(action, fields)
        call.respond(201, {"data": {"key": "tw_once"}})

    assert "tw_once" in first.result().text
    assert second.status == 409
    assert len(upstream.calls) == 1


def test_idempotency_key_of_the_form_is_truncated(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_once"}}
    action, fields = alice.get("/keys").button_action("Create key")
    fields |= {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}

    alice.post(action, fields | {"idempotency_key": "\0" + "x" * 64 + "a"})

    assert alice.post(action, fields | {"idempotency_key": "x" * 64 + "b" * 576}).status == 409


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[FlaskClient]:
    """Return a client of a portal with the embedded service."""
    portal = twindow.create_app({"data_dir": tmp_path / "own"})
    yield portal.test_client()
    close_portal(portal)


def test_keys_page_links_to_the_api_docs_only_with_an_embedded_service(
    embedded: FlaskClient, alice: Person
):
    link = parse_html(embedded.get("/keys").text).find("a", string="API documentation")

    assert embedded.get(link["href"]).status_code == 200
    assert not alice.get("/keys").html.find("a", string="API documentation")


def test_menu_lists_api_keys_only_with_an_embedded_service_and_after_help(
    embedded: FlaskClient, alice: Person
):
    def menu_items(page: BeautifulSoup) -> list[str]:
        return [link.get_text() for link in page.select("#more a")]

    common = ["Preferences", "Help"]
    assert menu_items(alice.get("/help").html) == [*common, "Keyboard shortcuts"]
    own = menu_items(parse_html(embedded.get("/help").text))
    assert own == [*common, "API keys", "Keyboard shortcuts"]
