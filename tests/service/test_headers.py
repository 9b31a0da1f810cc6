"""Which headers come with which answer: the OpenAPI document promises what is sent, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from service.api.routes import operations
from service.container import Container
from service.docs.openapi import RATE_LIMIT_HEADERS, path_template
from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@pytest.fixture
def document(api: ApiClient) -> dict[str, Any]:
    return dict(api.get("/openapi.json").json())


def headers(document: dict[str, Any], response: dict[str, Any]) -> set[str]:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return set(response["headers"])


def test_the_answers_to_a_jwt_promise_no_rate_headers(document: dict[str, Any]):
    for operation in operations.all:
        about = document["paths"][path_template(operation)][operation.method.lower()]
        for status, response in about["responses"].items():
            promised = headers(document, response) >= set(RATE_LIMIT_HEADERS)
            assert promised == (operation.needs != "a JWT" and status != "401"), operation.name


def test_refusals_that_no_operation_has_are_not_described(document: dict[str, Any]):
    refusals = document["components"]["responses"]

    assert "409-jwt" in refusals
    assert "405" not in refusals
    assert "429-jwt" not in refusals


def test_location_is_promised_where_something_is_said(document: dict[str, Any]):
    promised = {
        operation.name
        for operation in operations.all
        for method in [document["paths"][path_template(operation)][operation.method.lower()]]
        if "Location" in headers(document, method["responses"][str(operation.status)])
    }

    assert promised == {"send_message", "stream_message"}


def test_a_refusal_says_how_to_go_on(document: dict[str, Any]):
    refusals = document["components"]["responses"]

    assert "WWW-Authenticate" in refusals["401"]["headers"]
    assert "Retry-After" in refusals["429"]["headers"]
    assert "Retry-After" in refusals["503-jwt"]["headers"]


def test_the_shortest_id_is_that_of_the_address(document: dict[str, Any]):
    path = "/conversations/{conversationId}/messages/{messageId}"
    given = document["paths"][path]["delete"]["parameters"]

    assert [(one["name"], one["schema"]["minLength"]) for one in given] == [
        ("conversationId", 1),
        ("messageId", 8),
    ]


def test_every_answer_to_a_key_tells_how_it_stands_also_where_it_is_not_counted(
    api: ApiClient, model: Upstream
):
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


def test_where_there_is_no_key_there_is_nothing_to_tell_of_it(api: ApiClient, container: Container):
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


def test_the_answers_of_5_and_6_name_what_to_stop_and_stopping_it_late_is_no_error(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}/messages"
    whole = api.post(path, json={"content": "Hello"})
    said = [one for one in api.get(path).json()["data"] if one["role"] == "user"][-1]

    assert whole.headers["Location"] == f"/api/v1{path}/{said['id']}"
    assert api.delete(f"{path}/{said['id']}").status_code == 204
