"""Paginated lists: the number of requests is limited, and so is the page size (100)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from chat.twins.catalogue import MAX_PAGES, MAX_TWINS
from tests.support.cases import failures
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Call, Upstream
from web.container import Portal

TWINS = "/api/v1/twins"


def pages(call: Call) -> tuple[int, int]:
    """Return the requested page number and limit."""
    asked = parse_qs(urlsplit(call.path).query)
    return int(asked["page"][0]), int(asked["limit"][0])


def endless(call: Call) -> None:
    number, limit = pages(call)
    call.respond(200, {"data": [{"id": f"{number}-{n}"} for n in range(limit)]})


def same(call: Call) -> None:
    call.respond(200, {"data": [{"id": str(n)} for n in range(100)]})


def short(call: Call) -> None:
    number, _ = pages(call)
    call.respond(200, {"data": [{"id": str(n)} for n in range(100 if number == 1 else 5)]})


def promises_more(call: Call) -> None:
    number, _ = pages(call)
    items = [{"id": "ada"}] if number == 1 else []
    call.respond(200, {"data": items, "pagination": {"page": number, "pages": 1_000_000}})


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.twins.catalogue.TwinCatalogue.max_age_seconds", 0.001)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.limit("L39")
def test_number_of_requests_for_a_list_is_bounded(alice: Person, upstream: Upstream):
    def check(case: tuple[Callable[[Call], None], int]) -> None:
        upstream.answers[TWINS], calls = case
        upstream.calls.clear()
        assert alice.get("/?q=no-such-twin").status == 200
        assert [pages(call) for call in upstream.calls] == [(n + 1, 100) for n in range(calls)]

    cases = {
        "endless": (endless, MAX_TWINS // 100),
        "same": (same, 2),
        "known": (short, 1),  # "same" has shown where this list ends
        "promises more": (promises_more, MAX_PAGES),
    }
    assert failures(check, cases) == {}


def test_page_number_out_of_range_shows_the_nearest_page(alice: Person, upstream: Upstream):
    complete_first_turn(alice, upstream, "Hello Ada", "Hello")

    asked = ["99", "0", "-1", "x", "9" * 30]
    shown = {page: alice.get(f"/conversations?page={page}").text for page in asked}
    assert [page for page, text in shown.items() if "Hello Ada" not in text] == []


def test_requested_limit_is_clamped_between_1_and_100(portal: Portal, upstream: Upstream):
    upstream.answers = {TWINS: (200, [])}

    for ask, limit in (
        (portal.client.list_twins, 101),
        (portal.client.list_twins, 0),
    ):
        ask(1, limit)
        assert pages(upstream.calls[-1])[1] == min(100, max(1, limit))
