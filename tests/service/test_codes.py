"""Error codes: there is one set of them, and the documents list all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from service.api.errors import (
    DEFAULT_ERRORS,
    ERRORS_BY_STATUS,
    MAX_BODY_BYTES,
    STATUS_BY_CODE,
    ApiError,
)
from service.interface_types import ErrorCode, ReplyErrorCode
from tests.service.client import ApiClient

DOCUMENT = (Path(__file__).parents[2] / "docs/api.md").read_text()


def test_every_error_code_has_a_status_and_each_stream_error_code_only_one():
    told = [code for codes in ERRORS_BY_STATUS.values() for code in codes]

    assert set(told) == set(get_args(ErrorCode))
    assert [told.count(code) for code in get_args(ReplyErrorCode)] == [1] * len(
        get_args(ReplyErrorCode)
    )
    assert STATUS_BY_CODE["model_busy"] == 503


def test_api_error_without_a_sentence_uses_the_default_of_its_code():
    assert ApiError(409, "too_many_keys").sentence == ERRORS_BY_STATUS[409]["too_many_keys"]
    assert str(ApiError(409, "too_many_keys", "There are 100.")) == "There are 100."
    assert DEFAULT_ERRORS[409][0] == "still_replying"


def test_documented_body_size_limit_is_the_enforced_limit(api: ApiClient):
    headers = api.headers | {"Content-Type": "application/json"}
    body = b'{"twinId": "ada"}'

    fits = api.post("/conversations", data=body.ljust(MAX_BODY_BYTES), headers=headers)
    too_large = api.post("/conversations", data=body.ljust(MAX_BODY_BYTES + 1), headers=headers)

    assert (fits.status_code, too_large.status_code) == (201, 413)
    assert f"{MAX_BODY_BYTES // 1024} KiB" in too_large.json()["error"]
    assert f"body ≤ {MAX_BODY_BYTES // 1024} KiB" in DOCUMENT


def test_api_document_lists_every_error_code_with_advice():
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| \S.* \|$", DOCUMENT, re.MULTILINE)

    wanted = [(str(status), code) for status, codes in ERRORS_BY_STATUS.items() for code in codes]
    assert rows == wanted


@pytest.fixture
def components(api: ApiClient) -> dict[str, Any]:
    return dict(api.get("/openapi.json").json()["components"])


def test_openapi_document_lists_every_error_code(components: dict[str, Any]):
    refusal, error = (
        components["schemas"][name]["properties"] for name in ("ErrorResponse", "Error")
    )

    assert refusal["code"]["enum"] == sorted(get_args(ErrorCode))
    assert error["code"]["enum"] == sorted(get_args(ReplyErrorCode))
