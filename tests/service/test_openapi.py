"""The OpenAPI document: it is valid, describes every route, and the service conforms to it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Flask
from openapi_spec_validator import validate

from tests.service import contract
from tests.service.client import ApiClient
from twindow.service.api.routes import operations
from twindow.service.docs.openapi import build_document

ENDPOINTS = [
    "GET /twins",
    "GET /twins/{twinId}",
    "POST /conversations",
    "GET /conversations",
    "POST /conversations/{conversationId}/messages",
    "POST /conversations/{conversationId}/messages/stream",
    "POST /auth/api-keys",
]


@pytest.fixture
def document() -> dict[str, Any]:
    return build_document(operations.all)


def test_openapi_document_is_valid_openapi_3_1(api: ApiClient, document: dict[str, Any]):
    answer = api.get("/openapi.json", headers={})

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == document
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_service_conforms_to_its_openapi_document(processes: None):
    done = contract.run(examples=1)

    assert done.returncode == 0, done.stdout[-4000:]
    assert "No issues found" in done.stdout
    assert f"Tested: {len(operations.all)}\n" in done.stdout


@pytest.mark.spec("S94")
def test_openapi_document_describes_every_route_and_all_have_the_version_in_their_path(
    document: dict[str, Any], service: Flask
):
    described = {
        (re.sub(r"{\w+}", "<>", f"/api/v1{path}"), method.upper())
        for path, methods in document["paths"].items()
        for method in methods
    }
    served = {
        (re.sub(r"<[^>]+>", "<>", rule.rule), method)
        for rule in service.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    undescribed = {path for path, _ in served - described}
    monitoring = {"/livez", "/healthz", "/readyz"}
    assert undescribed == {"/api/v1/openapi.json", "/api/v1/avatars/<>", *monitoring}
    assert described <= served


@pytest.mark.spec("S1")
def test_operations_beyond_the_seven_endpoints_are_marked_as_extensions(document: dict[str, Any]):
    origins = {
        f"{method.upper()} {path}": operation["description"].partition(".")[0]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    endpoints = {name: f"Endpoint {number}" for number, name in enumerate(ENDPOINTS, 1)}

    assert {name: origins.pop(name) for name in ENDPOINTS} == endpoints
    assert set(origins.values()) == {"An extension"}


@pytest.mark.spec("S95")
def test_unknown_fields_and_parameters_are_ignored(api: ApiClient):
    new: dict[str, Any] = {"mood": {"calm": True}, "twin_id": "other", "id": "mine"}

    made = api.post("/conversations", json={"twinId": "ada"} | new).json()["data"]
    listed = api.get("/conversations?sort=title&twin_id=other").json()["data"]

    assert made["id"] != "mine"
    assert [conversation["id"] for conversation in listed] == [made["id"]]


@pytest.mark.spec("S95")
def test_nothing_is_marked_as_deprecated(api: ApiClient, document: dict[str, Any]):
    assert "deprecated" not in json.dumps(document)
    for answer in (api.get("/twins"), api.get("/nowhere")):
        assert not {"Deprecation", "Sunset", "Warning"} & set(answer.headers)


@pytest.mark.spec("S94", "S96")
def test_version_is_selected_only_by_the_path(api: ApiClient):
    plain = api.get("/twins/ada").json()
    for header, value in {
        "Accept": "application/vnd.twins.v2+json",
        "X-API-Version": "2",
        "API-Version": "2",
    }.items():
        assert api.get("/twins/ada", headers=api.headers | {header: value}).json() == plain, header
    assert api.get("/twins/ada?version=2").json() == plain
    for path in ("/twins", "/v1/twins", "/api/twins", "/api/v2/twins"):
        url = api.url.removesuffix("/api/v1") + path
        answer = api.session.get(url, headers=api.headers, timeout=10)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_openapi_document_has_the_metadata_and_components_that_linters_require(
    document: dict[str, Any],
):
    """The rules are those of `spectral:oas` and of redocly."""
    info, text = document["info"], json.dumps(document)

    assert all(info[field] for field in ("title", "version", "description"))
    assert info["contact"]["name"]
    assert {"name", "identifier"} <= set(info["license"])
    assert [server["url"] for server in document["servers"]] == ["/api/v1"]
    for kind in ("schemas", "responses"):
        names = document["components"][kind]
        assert [name for name in names if f'"#/components/{kind}/{name}"' not in text] == []


def test_every_operation_has_an_id_a_summary_a_description_and_a_declared_tag(
    document: dict[str, Any],
):
    described = [method for methods in document["paths"].values() for method in methods.values()]
    declared = {tag["name"]: tag["description"] for tag in document["tags"]}

    for operation in described:
        assert operation["summary"], operation["operationId"]
        assert operation["description"], operation["operationId"]
        assert [p["name"] for p in operation["parameters"] if not p["description"]] == []
        assert list(operation["responses"])[1:] == ["default"]
    assert len({operation["operationId"] for operation in described}) == len(described)
    assert {tag for operation in described for tag in operation["tags"]} == set(declared)
    assert list(declared) == sorted(declared)
    assert all(declared.values())


def test_openapi_document_describes_the_stream_as_text_with_a_reference_to_its_events(
    document: dict[str, Any],
):
    stream = document["paths"]["/conversations/{conversationId}/messages/stream"]["post"]
    [(kind, content)] = stream["responses"]["200"]["content"].items()

    assert kind == content["schema"]["contentMediaType"] == "text/event-stream"
    assert content["schema"]["type"] == "string"
    assert content["schema"]["contentSchema"] == {"$ref": "#/components/schemas/Event"}
    events = document["components"]["schemas"]["Event"]["anyOf"]
    names = [event["$ref"].rpartition("/")[2] for event in events]
    assert names == ["Progress", "Delta", "Complete", "Error"]


def test_openapi_document_has_the_minimum_length_of_an_id_in_the_route(document: dict[str, Any]):
    path = "/conversations/{conversationId}/messages/{messageId}"
    parameters = document["paths"][path]["delete"]["parameters"]

    lengths = {one["name"]: one["schema"]["minLength"] for one in parameters}
    assert lengths == {"conversationId": 1, "messageId": 8}


def test_openapi_document_is_built_once_and_revalidated(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
):
    first = api.get("/openapi.json")
    monkeypatch.setattr("twindow.service.docs.document.build_document", lambda *_: 1 / 0)
    again = api.get("/openapi.json")
    known = api.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert (first.status_code, again.status_code, known.status_code) == (200, 200, 304)
    assert again.content == first.content
    assert (known.content, known.headers["Cache-Control"]) == (b"", "no-cache")
