"""Lists that come in pages: never followed for ever, and never asked for more than a hundred."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

import twinapi
from blueprints.current import Portal
from tests.support.person import Person, say_and_hear
from tests.support.upstream import Call, Upstream

TWINS = "/api/v1/twins"
CONVERSATIONS = "/api/v1/conversations"


def pages(call: Call) -> tuple[int, int]:
    """Return the number of the page that is asked for, and its limit."""
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


@pytest.mark.fault("F61")
@pytest.mark.parametrize(
    ("answer", "calls"), [(endless, 20), (same, 2), (short, 2), (promises_more, 2)]
)
def test_pages_are_never_followed_for_ever(alice: Person, upstream: Upstream, answer, calls: int):
    upstream.answers[TWINS] = answer

    page = alice.get("/?q=no-such-twin")

    assert page.status == 200
    assert len(upstream.calls) <= calls
    assert [pages(call) for call in upstream.calls] == [(n + 1, 100) for n in range(calls)]


@pytest.mark.fault("F61")
@pytest.mark.parametrize("page", ["99", "0", "-1", "x", "9" * 30])
def test_a_page_that_is_not_there_is_one_that_is(alice: Person, upstream: Upstream, page: str):
    say_and_hear(alice, upstream, "Hello Ada", "Hello")

    assert "Hello Ada" in alice.get(f"/conversations?page={page}").text


@pytest.mark.fault("F61")
@pytest.mark.parametrize(
    ("ask", "limit"),
    [
        (twinapi.Client.list_twins, 101),
        pytest.param(
            twinapi.Client.list_twins,
            0,
        ),
        pytest.param(
            twinapi.Client.list_conversations,
            101,
        ),
    ],
)
def test_a_limit_is_one_to_a_hundred(portal: Portal, upstream: Upstream, ask, limit: int):
    upstream.answers = {TWINS: (200, []), CONVERSATIONS: (200, [])}

    ask(portal.client, 1, limit)

    assert pages(upstream.calls[-1])[1] == min(100, max(1, limit))
