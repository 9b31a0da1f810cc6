"""Response headers."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@pytest.fixture
def document(api: ApiClient) -> dict[str, Any]:
    return dict(api.get("/openapi.json").json())


def test_documented_minimum_id_length_matches_the_route(document: dict[str, Any]):
    path = "/conversations/{conversationId}/messages/{messageId}"
    given = document["paths"][path]["delete"]["parameters"]

    assert [(one["name"], one["schema"]["minLength"]) for one in given] == [
        ("conversationId", 1),
        ("messageId", 8),
    ]


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
    last = api.get("/twins?page=0")

    assert [answer.status_code for answer in uncounted] == [405, 200, 404, 400, 404, 200]
    assert {answer.headers["X-RateLimit-Remaining"] for answer in uncounted} == {"499"}
    assert last.headers["RateLimit"].startswith('"hour";r=498;t=')


def test_responses_without_a_valid_api_key_have_no_rate_limit_headers(
    api: ApiClient, container: Container
):
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    without = [
        api.get("/twins", headers={}),
        api.get("/twins", headers={"X-API-Key": "none"}),
        api.get("/twins", headers=api.headers | {"X-API-Key": "another"}),
        api.get("/nowhere", headers={}),
        api.get("/auth/api-keys", headers=jwt),
    ]

    assert [answer.status_code for answer in without] == [401, 401, 400, 404, 200]
    assert not [answer.url for answer in without if "RateLimit" in answer.headers]


def test_location_of_a_new_resource_can_be_read(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    made = api.post("/conversations", json={"twinId": "ada"})
    place = made.headers["Location"].removeprefix("/api/v1")
    assert api.get(place).json() == made.json()
    sent = api.post(f"{place}/messages", json={"content": "Hello"})
    message = api.get(sent.headers["Location"].removeprefix("/api/v1")).json()["data"]

    assert (message["role"], message["content"]) == ("user", "Hello")
    assert message == api.get(f"{place}/messages").json()["data"][0]
    assert api.get(f"{place}/messages/{sent.json()['data']['id']}").json() == sent.json()
    assert api.get(f"/conversations/other/messages/{message['id']}").status_code == 404


def test_location_header_is_the_url_to_stop_a_reply_and_a_late_stop_succeeds(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}/messages"
    whole = api.post(path, json={"content": "Hello"})
    message = [one for one in api.get(path).json()["data"] if one["role"] == "user"][-1]

    assert whole.headers["Location"] == f"/api/v1{path}/{message['id']}"
    assert api.delete(f"{path}/{message['id']}").status_code == 204


def test_every_response_has_the_id_of_its_request(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    stream = f"/conversations/{api.create_conversation()}/messages/stream"
    own = api.headers | {"X-Request-Id": "trace-7"}
    answers = [
        api.get("/twins", headers=own),
        api.get("/nowhere", headers=own),
        api.get("/twins", headers={"X-Request-Id": "trace-7"}),
        api.get("/openapi.json", headers=own),
        api.post(stream, json={"content": "Hello"}, headers=own),
    ]

    assert [answer.status_code for answer in answers] == [200, 404, 401, 200, 200]
    assert {answer.headers["X-Request-Id"] for answer in answers} == {"trace-7"}


def test_responses_are_not_stored_or_sniffed(api: ApiClient, model: Upstream, container: Container):
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}/messages"
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    body = {"name": "laptop", "scope": "read_only"}
    answers = [
        api.get("/twins"),
        api.get("/twins", headers={}),
        api.get("/nowhere"),
        api.post(path, json={"content": "Hello"}),
        api.post(f"{path}/stream", json={"content": "Hello"}),
        api.post("/auth/api-keys", json=body, headers=jwt),
        api.delete(path.removesuffix("/messages")),
    ]

    assert [answer.status_code for answer in answers] == [200, 401, 404, 201, 200, 201, 204]
    for answer in answers:
        assert "no-store" in answer.headers["Cache-Control"].split(", ")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Strict-Transport-Security" not in answer.headers
    document = api.get("/openapi.json")
    assert document.headers["X-Content-Type-Options"] == "nosniff"
    assert document.headers["Cache-Control"] == "no-cache"


def test_transport_security_is_required_over_https(service: Flask):
    client = service.test_client()

    secure = client.get("/api/v1/twins", base_url="https://twins.example")
    plain = client.get("/api/v1/twins", base_url="http://twins.example")

    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in plain.headers


def test_request_without_a_usable_id_gets_a_new_one(api: ApiClient):
    given = [None, "", "a b", "x" * 201, 'a"b', "\xe9"]
    made = [
        api.get("/twins", headers={"X-Request-Id": value}).headers["X-Request-Id"]
        for value in given
    ]

    assert len(set(made)) == len(given)
    assert not set(made) & set(given)


def test_log_of_an_unexpected_error_names_the_request(
    api: ApiClient,
    container: Container,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    monkeypatch.setattr(container.twins, "list_visible_to", lambda *_: 1 / 0)

    answer = api.get("/twins")

    assert answer.status_code == 500
    assert f"request {answer.headers['X-Request-Id']}: GET '/api/v1/twins'" in caplog.text
