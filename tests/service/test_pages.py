"""Documentation of the interface: the OpenAPI document and its page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from openapi_spec_validator import validate

from service.access import rate_limit
from service.api.routes import operations
from service.docs import pages
from service.docs.openapi import path_template
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


def test_docs_page_shows_every_operation_and_has_no_scripts(api: ApiClient):
    answer = api.get("/docs", headers={})
    page = BeautifulSoup(answer.text, "html.parser")

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'; style-src 'self'" in policy
    assert page.select("script, style, [style], [onclick], img, iframe") == []
    assert api.get("/docs.css", headers={}).headers["Content-Type"].startswith("text/css")
    for operation in operations.all:
        article = page.find(id=operation.name)
        assert article is not None
        assert f"{operation.method} {path_template(operation)}" in article.get_text()
    ids = [tag["id"] for tag in page.select("[id]")]
    assert len(ids) == len(set(ids))
    for link in page.select("a[href^='#']"):
        assert str(link["href"])[1:] in ids


def test_openapi_document_lists_the_errors_of_an_operation(document: dict[str, Any]):
    send = document["paths"]["/conversations/{conversationId}/messages"]["post"]

    assert list(send["responses"]) == [
        "201",
        "400",
        "401",
        "403",
        "404",
        "409",
        "413",
        "415",
        "422",
        "429",
        "500",
        "502",
        "503",
    ]
    assert json.dumps(send["requestBody"]).count("NewMessage") == 1


def test_docs_page_shows_response_headers_and_limits_of_values(api: ApiClient):
    page = BeautifulSoup(api.get("/docs").text, "html.parser")
    send, stop, make = (
        page.select_one(f"#{name}").get_text()
        for name in ("send_message", "stop_reply", "create_key")
    )

    for name in ("Location", "WWW-Authenticate", "Retry-After"):
        assert f"{name}: " in send
    assert "Location" not in stop
    assert "RateLimit headers" in stop
    assert "RateLimit headers" not in make
    assert "X-RateLimit-Reset" in page.select_one("#RateLimit").get_text()
    assert "a number of seconds from 1 to 316,224,000" in make
    assert "still_replying" in send


def test_docs_page_shows_the_hourly_rate_limits(api: ApiClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "read_only", 201)

    assert "201 requests per hour with the scope read_only, and 500" in api.get("/docs").text


def test_docs_pages_are_built_once_and_revalidated(api: ApiClient, monkeypatch: pytest.MonkeyPatch):
    paths = ("/docs", "/openapi.json")
    firsts = [api.get(path) for path in paths]
    monkeypatch.setattr("service.docs.openapi.build_document", lambda *_: 1 / 0)
    monkeypatch.setattr("service.docs.pages.render_template", lambda *_, **__: 1 / 0)
    for path, first in zip(paths, firsts, strict=True):
        again = api.get(path)
        known = api.get(path, headers={"If-None-Match": first.headers["ETag"]})

        assert (first.status_code, again.status_code, known.status_code) == (200, 200, 304)
        assert again.content == first.content
        assert (known.content, known.headers["Cache-Control"]) == (b"", "no-cache")


def test_docs_page_cache_is_bounded_for_many_host_names(api: ApiClient):
    for number in range(2 * pages.MAX_CACHED_BASE_URLS):
        answer = api.get("/docs", headers={"Host": f"name-{number}.example"})
        assert f"http://name-{number}.example/api/v1" in answer.text

    assert pages._build_page.cache_info().currsize <= pages.MAX_CACHED_BASE_URLS
