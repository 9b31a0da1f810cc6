"""Exact rate limits, shared by both API key headers, and length limits of texts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from typing import get_args

import pytest

from core.db.database import Database
from service.access import rate_limit
from service.access.api_keys import ApiKeys
from service.container import Container
from service.interface_types import Scope
from service.owners import owner_named
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import Upstream


@pytest.mark.spec("S92")
@pytest.mark.limit("L45")
def test_api_key_is_limited_to_its_hourly_requests(
    api: ApiClient, container: Container, monkeypatch: pytest.MonkeyPatch
):
    for scope, form in product(get_args(Scope), ("Authorization", "X-API-Key")):
        monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, scope, 3)
        key = container.api_keys.create("alice", "t", scope)[1]
        headers = {form: f"Bearer {key}" if form == "Authorization" else key}

        answers = [api.get("/twins", headers=headers) for _ in range(30)]

        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 27
        remaining = [answer.headers["X-RateLimit-Remaining"] for answer in answers]
        assert remaining == ["2", "1"] + ["0"] * 28
        assert answers[0].headers["RateLimit-Policy"] == '"hour";q=3;w=3600'
        assert 0 < int(answers[3].headers["Retry-After"]) <= 3600
        assert "Retry-After" not in answers[0].headers
        assert answers[3].json()["code"] == "rate_limited"


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


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_machines_with_different_clocks_count_the_same_requests(
    database: Database, database_url: str
):
    key, _ = ApiKeys(database).create("alice", "t", "full_access")
    remaining = []
    for skew in (0, 4000, -4000, 0):
        clock = AdjustableClock()
        clock.jump_wall_clock(skew)
        with closing(Database(database_url, clock=clock)) as other_database:
            remaining.append(rate_limit.count_request(other_database, key).remaining)

    assert remaining == [499, 498, 497, 496]


@pytest.mark.spec("S66")
def test_both_api_key_headers_share_one_rate_limit(
    api: ApiClient, container: Container, monkeypatch: pytest.MonkeyPatch, full_key: str
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 2)

    first = api.get("/twins", headers={"Authorization": f"Bearer {full_key}"})
    second = api.get("/twins", headers={"X-API-Key": full_key})
    third = api.get("/twins", headers={"Authorization": f"Bearer {full_key}"})

    assert [first.status_code, second.status_code, third.status_code] == [200, 200, 429]


@pytest.mark.spec("S89", "S90")
def test_hourly_limit_of_each_scope_is_the_documented_one(api: ApiClient, container: Container):
    table: list[tuple[Scope, int]] = [("read_only", 200), ("full_access", 500)]
    for scope, limit in table:
        key, secret = container.api_keys.create("alice", "t", scope)
        for _ in range(limit - 1):
            rate_limit.count_request(container.database, key)

        last, beyond = (api.get("/twins", headers={"X-API-Key": secret}) for _ in range(2))

        assert (last.status_code, beyond.status_code) == (200, 429)
        assert last.headers["RateLimit-Policy"] == f'"hour";q={limit};w=3600'
        assert last.headers["X-RateLimit-Limit"] == str(limit)


@pytest.mark.spec("S89", "S90")
def test_rate_limit_allows_requests_again_after_an_hour(
    api: ApiClient, container: Container, clock: AdjustableClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 1)
    assert api.get("/twins").status_code == 200
    assert api.get("/twins").status_code == 429

    clock.advance(3601)
    assert api.get("/twins").status_code == 200


def test_concurrent_requests_are_counted_exactly(
    api: ApiClient, url: str, container: Container, full_key: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 20)

    def ask(_: int) -> int:
        return ApiClient(url, full_key).get("/twins").status_code

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(40)))

    assert (answers.count(200), answers.count(429)) == (20, 20)


def test_rejected_requests_also_have_rate_limit_headers(api: ApiClient, container: Container):
    reader = container.api_keys.create("alice", "t", "read_only")[1]

    forbidden = api.post("/conversations", json={}, headers={"X-API-Key": reader})
    missing = api.get("/twins/none")
    wrong = api.post("/conversations", json={"twinId": 3})

    for answer in (forbidden, missing, wrong):
        assert answer.status_code >= 400
        assert "RateLimit" in answer.headers


@pytest.mark.spec("S93")
@pytest.mark.limit("L48")
def test_text_at_the_length_limit_is_accepted_and_longer_text_rejected(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    body = {"twinId": "ada", "name": "laptop", "scope": "read_only"}
    for path, field, size, headers in [
        ("/conversations", "title", 200, api.headers),
        (f"/conversations/{api.create_conversation()}/messages", "content", 32_000, api.headers),
        ("/auth/api-keys", "name", 100, jwt),
    ]:
        # The limit counts characters, not bytes or escapes: in JSON, each emoji is two escapes.
        longest = api.post(path, json=body | {field: "😀" * size}, headers=headers)
        assert longest.status_code == 201
        for too_much in ("😀" * (size + 1), "x" * 10 * size):
            too_long = api.post(path, json=body | {field: too_much}, headers=headers)
            assert too_long.status_code == 422
            assert too_long.json()["details"][0]["field"] == field
            assert f"{size:,}" in too_long.json()["error"]
