"""Documentation of the interface: the OpenAPI document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Flask
from openapi_spec_validator import validate

from service.api.routes import operations
from tests.service import contract
from tests.service.client import ApiClient


@pytest.fixture
def document(api: ApiClient) -> dict[str, Any]:
    answer = api.get("/openapi.json", headers={})
    assert answer.headers["Content-Type"] == "application/json"
    return dict(answer.json())


def test_openapi_document_is_valid_openapi_3_1(document: dict[str, Any]):
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_openapi_document_describes_the_stream_as_text_with_a_reference_to_its_events(
    document: dict[str, Any],
):
    stream = document["paths"]["/conversations/{conversationId}/messages/stream"]["post"]
    content = stream["responses"]["200"]["content"]

    assert list(content) == ["text/event-stream"]
    schema = content["text/event-stream"]["schema"]
    assert (schema["type"], schema["contentMediaType"]) == ("string", "text/event-stream")
    assert schema["contentSchema"] == {"$ref": "#/components/schemas/Event"}
    events = document["components"]["schemas"]["Event"]["anyOf"]
    assert [event["$ref"].rpartition("/")[2] for event in events] == [
        "Progress",
        "Delta",
        "Complete",
        "Error",
    ]


def test_openapi_document_describes_every_route(document: dict[str, Any], service: Flask):
    described = {
        (re.sub(r"{\w+}", "<>", path), method.upper())
        for path, methods in document["paths"].items()
        for method in methods
    }
    served = {
        (re.sub(r"<[^>]+>", "<>", rule.rule.removeprefix("/api/v1")), method)
        for rule in service.url_map.iter_rules()
        if rule.endpoint.startswith("service.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert described == served
    assert [o.spec_number for o in operations.all if o.spec_number] == [1, 2, 3, 4, 5, 6, 7]


def test_service_conforms_to_its_openapi_document(processes: None):
    done = contract.run(examples=4)

    assert done.returncode == 0, done.stdout[-4000:]
    assert "No issues found" in done.stdout
    assert f"Tested: {len(operations.all)}\n" in done.stdout


def test_openapi_document_describes_errors_in_one_way(document: dict[str, Any]):
    send = document["paths"]["/conversations/{conversationId}/messages"]["post"]

    assert list(send["responses"]) == ["201", "default"]
    assert json.dumps(send["requestBody"]).count("NewMessage") == 1


def test_openapi_document_is_built_once_and_revalidated(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
):
    first = api.get("/openapi.json")
    monkeypatch.setattr("service.docs.document.build_document", lambda *_: 1 / 0)
    again = api.get("/openapi.json")
    known = api.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert (first.status_code, again.status_code, known.status_code) == (200, 200, 304)
    assert again.content == first.content
    assert (known.content, known.headers["Cache-Control"]) == (b"", "no-cache")
