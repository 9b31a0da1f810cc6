"""Headers of all responses."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.upstream import Upstream


def test_every_response_has_the_id_of_its_request(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    own = {"X-Request-Id": "trace-7"}
    answers = [
        api.get("/twins", headers=api.headers | own),
        api.get("/nowhere", headers=api.headers | own),
        api.get("/twins", headers=own),
        api.get("/openapi.json", headers=own),
        api.begin_stream(api.create_conversation(), headers=own),
    ]

    assert [answer.status_code for answer in answers] == [200, 404, 401, 200, 200]
    assert {answer.headers["X-Request-Id"] for answer in answers} == {"trace-7"}


def test_request_without_a_usable_id_gets_a_new_one(api: ApiClient):
    given = [None, "", "a b", "x" * 201, 'a"b', "\xe9"]
    made = [
        api.get("/twins", headers={"X-Request-Id": value}).headers["X-Request-Id"]
        for value in given
    ]

    assert len(set(made)) == len(given)
    assert not set(made) & set(given)


def test_responses_are_not_stored_or_sniffed(
    api: ApiClient, model: Upstream, jwt_headers: dict[str, str]
):
    model.always_reply("Hi")
    conversation = api.create_conversation()
    body = {"name": "laptop", "scope": "read_only"}
    answers = [
        api.get("/twins"),
        api.get("/twins", headers={}),
        api.get("/nowhere"),
        api.send(conversation),
        api.begin_stream(conversation),
        api.post("/auth/api-keys", json=body, headers=jwt_headers),
        api.delete(f"/conversations/{conversation}"),
    ]

    assert [answer.status_code for answer in answers] == [200, 401, 404, 201, 200, 201, 204]
    for answer in answers:
        assert "no-store" in answer.headers["Cache-Control"].split(", ")
    for answer in [*answers, api.get("/openapi.json")]:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.spec("S8")
def test_urls_include_the_path_of_the_base_address(service: Flask, full_key: str, model: Upstream):
    model.always_reply("Hi")
    client = service.test_client()
    base = {"base_url": "https://twins.example/ai", "headers": {"X-API-Key": full_key}}
    made = client.post("/api/v1/conversations", json={"twinId": "ada"}, **base)
    path = made.headers["Location"]
    sent = client.post(f"{path[3:]}/messages", json={"content": "Hello"}, **base)

    assert path.startswith("/ai/api/v1/conversations/")
    assert made.headers["Link"] == f'<{path}>; rel="delete"'
    assert sent.headers["Location"].startswith(f"{path}/messages/")
    document = client.get("/api/v1/openapi.json", **base).get_json()
    assert document["servers"] == [{"url": "/ai/api/v1"}]


def test_transport_security_is_required_over_https(service: Flask):
    client = service.test_client()

    secure = client.get("/api/v1/twins", base_url="https://twins.example")
    plain = client.get("/api/v1/twins", base_url="http://twins.example")

    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in plain.headers
