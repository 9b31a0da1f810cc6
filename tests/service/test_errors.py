"""The thirteen kinds of error, the shape that they all have, and the list of their codes."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from flask import Flask
from requests import Response

from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from twindow.paths import ROOT
from twindow.service.api.errors import DEFAULT_ERRORS, ERRORS_BY_STATUS, MAX_BODY_BYTES
from twindow.service.container import Container
from twindow.service.credentials import rate_limit
from twindow.service.interface_types import ErrorCode, ReplyErrorCode

DOCUMENT = (ROOT / "docs/api.md").read_text()
ERRORS = [
    (400, "invalid"),
    (401, "unauthorized"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (409, "still_replying"),
    (413, "too_large"),
    (415, "unsupported_media_type"),
    (422, "invalid"),
    (429, "rate_limited"),
    (500, "internal_error"),
    (502, "model_failed"),
    (503, "unavailable"),
]


@pytest.fixture
def errors(
    api: ApiClient,
    model: Upstream,
    container: Container,
    read_key: str,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Response]:
    """Return a response with each of `ERRORS`."""
    reader = {"X-API-Key": read_key}
    conversation = api.create_conversation()
    next(api.stream(conversation, "Hello"))
    monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "read_only", 1)
    errors = [
        api.get("/twins?page=0"),
        api.get("/twins", headers={}),
        api.post("/conversations", json={"twinId": "ada"}, headers=reader),
        api.get("/twins/nobody"),
        api.delete("/twins"),
        api.send(conversation, "Me too"),
        api.send(conversation, "x" * 600_000),
        api.post("/conversations", data=b"{}"),
        api.send(conversation, ""),
        api.get("/twins", headers=reader),
    ]
    with monkeypatch.context() as bug:
        bug.setattr("twindow.service.api.serializers.twin", lambda _: 1 / 0)
        errors.append(api.get("/twins"))
    model.answers[CHAT_COMPLETIONS_PATH] = 500, {"error": "secret /home/x"}
    errors.append(api.send(api.create_conversation()))
    container.database.lock_timeout = 0.01
    with container.database.write():
        errors.append(api.get("/twins"))
    return errors


@pytest.mark.spec("S87", "S88")
def test_every_error_has_a_sentence_a_code_and_the_invalid_fields(errors: list[Response]):
    assert [(answer.status_code, answer.json()["code"]) for answer in errors] == ERRORS
    assert [status for status, _ in ERRORS] == list(DEFAULT_ERRORS)
    for answer in errors:
        body = answer.json()
        assert answer.headers["Content-Type"] == "application/json"
        assert list(body) == ["error", "code", "details"]
        assert body["error"].endswith(".")
        fields = {400: ["page"], 422: ["content"]}.get(answer.status_code, [])
        assert [detail["field"] for detail in body["details"]] == fields
        assert not re.search("secret|Traceback", answer.text)
    assert "GET" in errors[4].headers["Allow"]
    assert errors[-1].headers["Retry-After"] == "1"


def test_log_line_of_an_unexpected_error_names_the_request_on_one_short_line(
    service: Flask, caplog: pytest.LogCaptureFixture
):
    service.add_url_rule("/fails/<_>", "fails", lambda _: 1 / 0)

    path = "/fails/x%0A[ERROR] forged " + "x" * 3_000
    answer = service.test_client().get(path, headers={"X-Request-Id": "trace-7"})

    [line] = caplog.messages
    assert answer.status_code == 500
    assert line.startswith(r"request trace-7: GET '/fails/x\n[ERROR] forged xxx")
    assert len(line) < 250


def test_documented_body_size_limit_is_the_enforced_limit(api: ApiClient):
    headers = api.headers | {"Content-Type": "application/json"}
    body = b'{"twinId": "ada"}'

    fits = api.post("/conversations", data=body.ljust(MAX_BODY_BYTES), headers=headers)
    too_large = api.post("/conversations", data=body.ljust(MAX_BODY_BYTES + 1), headers=headers)

    assert (fits.status_code, too_large.status_code) == (201, 413)
    assert f"{MAX_BODY_BYTES // 1024} KiB" in too_large.json()["error"]
    assert f"body ≤ {MAX_BODY_BYTES // 1024} KiB" in DOCUMENT


def test_documents_list_every_error_code_with_its_status(api: ApiClient):
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| \S.* \|$", DOCUMENT, re.MULTILINE)
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    codes = [code for codes in ERRORS_BY_STATUS.values() for code in codes]

    assert rows == [(str(s), code) for s, codes in ERRORS_BY_STATUS.items() for code in codes]
    assert set(codes) == set(get_args(ErrorCode))
    for name, names in (("ErrorResponse", ErrorCode), ("Error", ReplyErrorCode)):
        assert schemas[name]["properties"]["code"]["enum"] == sorted(get_args(names))
    # The same failure has one status if the reply is not a stream.
    assert [codes.count(code) for code in get_args(ReplyErrorCode)] == [1] * 7
