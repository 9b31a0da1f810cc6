"""Exact rate limits of API keys, and their headers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import get_args

import pytest

from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from tests.support.upstream import Upstream
from twindow.core.db.database import Database
from twindow.service.container import Container
from twindow.service.credentials import rate_limit
from twindow.service.credentials.api_keys import ApiKeys
from twindow.service.interface_types import Scope
from twindow.service.owners import owner_named


@pytest.fixture
def clock(clock: AdjustableClock) -> AdjustableClock:
    """Return a clock that has just started an hour."""
    clock.advance_to_whole_hour()
    return clock


@pytest.mark.spec("S66", "S89", "S90", "S92")
@pytest.mark.limit("L45")
@pytest.mark.parametrize("scope", get_args(Scope))
def test_api_key_is_limited_to_its_hourly_requests_with_both_headers_together(
    api: ApiClient,
    container: Container,
    clock: AdjustableClock,
    monkeypatch: pytest.MonkeyPatch,
    scope: Scope,
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, scope, 3)
    key = container.api_keys.create("alice", "t", scope)[1]
    forms = [{"Authorization": f"Bearer {key}"}, {"X-API-Key": key}]

    answers = [api.get("/twins", headers=forms[number % 2]) for number in range(30)]

    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 27
    remaining = [answer.headers["X-RateLimit-Remaining"] for answer in answers]
    assert remaining == ["2", "1"] + ["0"] * 28
    assert answers[0].headers["RateLimit-Policy"] == '"hour";q=3;w=3600'
    assert "Retry-After" not in answers[0].headers
    assert 0 < int(answers[3].headers["Retry-After"]) <= 3600
    clock.advance(3601)
    assert api.get("/twins", headers=forms[0]).status_code == 200


@pytest.mark.spec("S90")
def test_keys_of_the_portal_have_no_limit_and_no_rate_limit_headers(
    api: ApiClient, container: Container, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 3)
    key = container.api_keys.create(owner_named("portal"), "Our portal", "full_access")[1]
    headers = {"X-API-Key": key}

    answers = [api.get(path, headers=headers) for path in ["/twins"] * 30 + ["/unknown"]]

    assert [answer.status_code for answer in answers] == [200] * 30 + [404]
    assert not [
        name for answer in answers for name in answer.headers if "ratelimit" in name.lower()
    ]


@on_postgresql
def test_machines_with_different_clocks_count_the_same_requests(
    database: Database, database_url: str, clock: AdjustableClock
):
    key, _ = ApiKeys(database).create("alice", "t", "full_access")
    remaining = []
    for skew in (0, 4000, -4000, 0):
        with closing(Database(database_url, clock=clock.skewed(skew))) as other_database:
            remaining.append(rate_limit.count_request(other_database, key).remaining)

    assert remaining == [499, 498, 497, 496]


@pytest.mark.spec("S89", "S90")
def test_hourly_limit_of_each_scope_is_the_documented_one(
    api: ApiClient, read_key: str, full_key: str
):
    for key, limit in ((read_key, 200), (full_key, 500)):
        answer = api.get("/twins", headers={"X-API-Key": key})

        assert answer.headers["RateLimit-Policy"] == f'"hour";q={limit};w=3600'
        assert answer.headers["X-RateLimit-Limit"] == str(limit)
        assert answer.headers["X-RateLimit-Remaining"] == str(limit - 1)


def test_concurrent_requests_are_counted_exactly(
    api: ApiClient, url: str, full_key: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 20)

    def ask(_: int) -> int:
        return ApiClient(url, full_key).get("/twins").status_code

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(40)))

    assert (answers.count(200), answers.count(429)) == (20, 20)


def test_requests_that_are_not_counted_also_get_rate_limit_headers(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    conversation = api.create_conversation()
    uncounted = [
        api.delete("/twins"),
        api.session.options(f"{api.url}/twins", headers=api.headers, timeout=10),
        api.get("/nowhere"),
        api.get("/conversations/%00"),
        api.delete(f"/conversations/{conversation}/messages/short"),
        api.get("/openapi.json"),
    ]
    rejected = api.get("/twins?page=0")

    assert [answer.status_code for answer in uncounted] == [405, 200, 404, 400, 404, 200]
    assert {answer.headers["X-RateLimit-Remaining"] for answer in uncounted} == {"499"}
    assert rejected.headers["RateLimit"].startswith('"hour";r=498;t=')
