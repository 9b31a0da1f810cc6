"""Error pages: what happened, what was kept, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest
from flask import Flask, abort

from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Page, Person
from tests.support.portals import serve
from twindow import twinapi
from twindow.core.db.errors import DatabaseUnavailable

STATUSES = [400, 401, 403, 404, 405, 413, 418, 429, 500, 503]
WRONG = {str(number): number for number in (*STATUSES, 1001, 1002, 1003)}


def went_wrong(number: int) -> None:
    if number < 1000:
        abort(number)
    raise {1001: ZeroDivisionError, 1002: DatabaseUnavailable, 1003: twinapi.ConnectionFailed}[
        number
    ]


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Serve a portal with extra routes that fail in every way."""
    app.add_url_rule("/wrong/<int:number>", view_func=went_wrong, methods=["GET", "POST"])
    app.add_url_rule("/away/<path:_>", "away", lambda _: abort(503))
    app.add_url_rule("/lost/<_>", "lost", lambda _: abort(503))
    with serve(app) as url:
        yield url


def action_links(page: Page) -> dict[str, str]:
    return {
        link.get_text(): str(link["href"]) for link in page.html.select(".empty-state__actions a")
    }


def test_every_error_has_a_complete_page(alice: Person):
    def check(number: int) -> None:
        page = alice.get(f"/wrong/{number}")
        assert page.status == (number if number < 1000 else 500 if number == 1001 else 503)
        assert len(page.html.select("h1")) == 1
        assert page.html.select_one(".empty-state .lead").get_text().strip().endswith(".")
        assert page.html.select_one(
            ".empty-state > p:not(.lead, .hint, .empty-state__actions)"
        ).get_text()
        assert action_links(page)["All twins"] == "/"
        again = action_links(page).get("Try again")
        assert again == (f"/wrong/{number}" if page.status in (429, 500, 503) else None)

        form = alice.post(f"/wrong/{number}", {"content": "precious <words>"})
        assert form.html.select_one("textarea[readonly]").get_text() == "precious <words>"
        assert "Try again" not in action_links(form)

        fragment = alice.get(f"/wrong/{number}", **HTMX_HEADERS)
        assert fragment.response.headers["HX-Retarget"] == "#notices"
        assert fragment.html.select_one("html, h1") is None
        assert fragment.html.select_one(".note span").get_text().strip()

    assert failures(check, WRONG) == {}


def test_server_error_has_a_reference_that_is_logged(
    alice: Person, caplog: pytest.LogCaptureFixture
):
    for number, headers in product(WRONG.values(), ({}, HTMX_HEADERS)):
        page = alice.get(f"/wrong/{number}", **headers)
        reference = re.search(r"Reference (\w{8})", page.text)
        assert bool(reference) is (page.status >= 500)
        if reference:
            assert reference[1] == page.response.headers["X-Request-Id"]
            assert any(reference[1] in record.getMessage() for record in caplog.records)


def test_log_line_of_a_server_error_quotes_the_path_on_one_short_line(
    alice: Person, caplog: pytest.LogCaptureFixture
):
    alice.get("/lost/x%0A[ERROR] forged " + "x" * 3_000)

    [line] = caplog.messages
    assert r"GET '/lost/x\n[ERROR] forged xxx" in line
    assert len(line) < 250


def test_home_page_offers_links_while_the_service_is_unavailable(alice: Person, upstream):
    upstream.answers["/api/v1/twins"] = 503, {}
    page = alice.get("/")

    assert page.html.select_one(".empty-state h2").get_text() == "Twins are unavailable right now"
    assert set(action_links(page)) == {"Try again", "Your conversations"}


def test_illustrations_are_hidden_from_screen_readers(alice: Person):
    drawings = alice.get("/nowhere").html.select(".empty-state svg")

    assert [drawing.get("aria-hidden") for drawing in drawings] == ["true"]


def test_invalid_host_header_is_rejected_without_a_log_line(
    alice: Person, caplog: pytest.LogCaptureFixture
):
    assert alice.get("/", Host="a" * 64).status == 400
    for host in (".", "..", ".a", "a..b", "a.b..", "a..:80"):
        assert alice.get("/", Host=host).status == 400, host
    assert caplog.records == []
    for host in (f"{'a' * 63}.example", "chat.example.", "chat.example:8000", "[::1]:8000"):
        assert alice.get("/", Host=host).status == 200, host


def test_try_again_link_leads_to_the_same_url(alice: Person):
    page = alice.get("/away/what%3Fis%23100%25?a=%26")

    assert action_links(page)["Try again"] == "/away/what%3Fis%23100%25?a=%26"
