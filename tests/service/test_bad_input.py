"""Invalid input: the error names the field, nothing is stored, and the service stays available."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from io import BytesIO
from itertools import product

import pytest
import requests
from flask import Flask
from sqlalchemy import func, select

from tests.service.client import ApiClient
from tests.support.upstream import Upstream
from twindow.service.api.errors import MAX_BODY_BYTES
from twindow.service.container import Container
from twindow.service.schema import api_keys, conversations, messages

DEEP = 100_000

BAD_BODIES: dict[str, tuple[bytes, int]] = {
    "no body": (b"", 400),
    "not JSON": (b"{", 400),
    "two values": (b"{}{}", 422),
    "NaN": (b'{"FIELD": NaN}', 400),
    "Infinity": (b'{"FIELD": -Infinity}', 400),
    "an array": (b"[]", 422),
    "null": (b"null", 422),
    "a text": (b'"FIELD"', 422),
    "nothing in it": (b"{}", 422),
    "a number": (b'{"FIELD": 3}', 422),
    "true": (b'{"FIELD": true}', 422),
    "a field that is null": (b'{"FIELD": null}', 422),
    "a field that is an array": (b'{"FIELD": ["x"]}', 422),
    "a field that is an object": (b'{"FIELD": {"x": "y"}}', 422),
    "empty": (b'{"FIELD": ""}', 422),
    "NUL": (b'{"FIELD": "a\\u0000b"}', 422),
    "too long": (b'{"FIELD": "' + b"x" * 32_001 + b'"}', 422),
    "invalid UTF-8": (b'{"FIELD": "\xff"}', 400),
    "a lone surrogate": (b'{"FIELD": "\\ud800"}', 400),
    "UTF-16": ('{"FIELD": "x"}'.encode("utf-16"), 400),
    "deeply nested": (b'{"FIELD": ' + b"[" * DEEP + b"]" * DEEP + b"}", 422),
    "deeply nested elsewhere": (b'{"other": ' + b"[" * DEEP + b"]" * DEEP + b"}", 400),
    "10 MB": (b'{"FIELD": "' + b"x" * 10_000_000 + b'"}', 413),
}
WRITING = {
    "/conversations": b"twinId",
    "/conversations/ID/messages": b"content",
    "/conversations/ID/messages/stream": b"content",
    "/auth/api-keys": b"name",
}


@pytest.fixture
def everywhere(
    api: ApiClient, jwt_headers: dict[str, str]
) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return each path that takes a body, the body's first field, and valid credentials."""
    conversation = api.create_conversation()
    return [
        (path.replace("ID", conversation), field, jwt_headers if "auth" in path else api.headers)
        for path, field in WRITING.items()
    ]


@pytest.mark.spec("S9", "S10")
def test_request_body_is_json_and_declared_as_such(
    api: ApiClient, model: Upstream, everywhere: list[tuple[str, bytes, dict[str, str]]]
):
    model.always_reply("Hi")
    body = {"twinId": "ada", "content": "Größe ✓", "name": "Größe ✓", "scope": "read_only"}
    sent = json.dumps(body, ensure_ascii=False).encode()
    for path, _, headers in everywhere:
        for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
            answer = api.post(path, data=sent, headers=headers | {"Content-Type": kind})
            assert answer.status_code in (200, 201)
            assert answer.content  # read to its end
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
            answer = api.post(path, data=sent, headers=headers | {"Content-Type": kind})
            assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
        assert api.post(path, data=sent, headers=headers).status_code == 415


@pytest.mark.spec("S18", "S42", "S52", "S54", "S58", "S93")
@pytest.mark.limit("L47")
def test_invalid_bodies_are_rejected_and_nothing_is_stored(
    api: ApiClient, container: Container, everywhere: list[tuple[str, bytes, dict[str, str]]]
):
    before = stored(container)
    wrong = []
    for name, (body, status) in BAD_BODIES.items():
        for path, field, headers in everywhere:
            sent = {"headers": headers | {"Content-Type": "application/json"}}
            answer = api.post(path, data=body.replace(b"FIELD", field), **sent)

            names_field = status == 422 and b"FIELD" in body and body.startswith(b"{")
            if answer.status_code != status or not is_refusal(
                answer, field if names_field else b""
            ):
                wrong.append((name, path, answer.status_code, answer.text))
    assert wrong == []
    assert stored(container) == before
    assert api.get("/twins").status_code == 200


def is_refusal(answer: requests.Response, field: bytes) -> bool:
    """Return whether the answer is an error about `field`.

    An empty `field` matches any error.
    """
    told = answer.json()
    return (
        set(told) == {"error", "code", "details"}
        and told["error"].endswith(".")
        and told["error"].startswith(field.decode())
        and (not field or told["details"][0]["field"] == field.decode())
    )


def stored(container: Container) -> list[int]:
    with container.database.read() as connection:
        return [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (conversations, messages, api_keys)
        ]


def test_chunked_body_over_the_limit_is_rejected_and_not_truncated(api: ApiClient):
    """A truncated body could be valid JSON with another meaning."""

    def pieces() -> Iterator[bytes]:
        yield b'{"twinId": "ada"}'
        for _ in range(600):
            yield b" " * 1024

    headers = api.headers | {"Content-Type": "application/json"}
    answer = requests.post(f"{api.url}/conversations", data=pieces(), headers=headers, timeout=10)

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert api.get("/conversations").json()["data"] == []


class TruncatedBody(BytesIO):
    """A body without Content-Length that ends without its last chunk."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if not data and size != 0:
            raise OSError
        return data


def test_chunked_body_at_the_limit_without_its_last_chunk_is_rejected(
    service: Flask, full_key: str
):
    response = service.test_client().post(
        "/api/v1/conversations",
        headers={"Authorization": f"Bearer {full_key}", "Content-Type": "application/json"},
        environ_overrides={
            "wsgi.input": TruncatedBody(b" " * MAX_BODY_BYTES),
            "wsgi.input_terminated": True,
        },
    )

    assert (response.status_code, response.get_json()["code"]) == (400, "bad_request")


@pytest.mark.spec("S93")
@pytest.mark.limit("L48")
def test_text_at_the_length_limit_is_accepted_and_longer_text_rejected(
    api: ApiClient, model: Upstream, jwt_headers: dict[str, str]
):
    model.always_reply("Hi")
    body = {"twinId": "ada", "name": "laptop", "scope": "read_only"}
    for path, field, size, headers in [
        ("/conversations", "title", 200, api.headers),
        (f"/conversations/{api.create_conversation()}/messages", "content", 32_000, api.headers),
        ("/auth/api-keys", "name", 100, jwt_headers),
    ]:
        # The limit counts characters, not bytes or escapes: in JSON, each emoji is two escapes.
        longest = api.post(path, json=body | {field: "😀" * size}, headers=headers)
        assert longest.status_code == 201
        for too_much in ("😀" * (size + 1), "x" * 10 * size):
            too_long = api.post(path, json=body | {field: too_much}, headers=headers)
            assert too_long.status_code == 422
            assert too_long.json()["details"][0]["field"] == field
            assert f"{size:,}" in too_long.json()["error"]


def test_encoded_bodies_are_rejected(api: ApiClient):
    body = gzip.compress(b'{"twinId": "ada"}')
    headers = api.headers | {"Content-Type": "application/json"}
    answers = {
        encoding: api.post(
            "/conversations", data=body, headers=headers | {"Content-Encoding": encoding}
        )
        for encoding in ("gzip", "br", "gzip, identity", "identity")
    }

    told = [(answer.status_code, answer.json()["code"]) for answer in answers.values()]
    assert told == [(415, "unsupported_media_type")] * 3 + [(400, "bad_json")]
    assert answers["gzip"].headers["Accept-Encoding"] == "identity"


ODD_IDS = [
    "%00",
    "%ff%fe",
    "..%2f..%2fetc%2fpasswd",
    "x" * 3000,
    "%F0%9F%92%A9",
    "'%20OR%201=1",
    "%0d",
]


def test_malformed_ids_are_not_found(api: ApiClient):
    paths = ["/twins/{}", "/conversations/{}", "/conversations/{}/messages"]
    wrong = []
    for path, id_ in product(paths, ODD_IDS):
        answer = api.get(path.format(id_))
        told = answer.status_code, answer.json()["code"]
        if told not in {(400, "bad_request"), (404, "not_found")}:
            wrong.append((path, id_, told))
    assert wrong == []


def test_url_with_a_nul_character_is_rejected(api: ApiClient):
    for path in ("/conversations/%00", "/conversations?twinId=%00", "/twins?other=%00"):
        answer = api.get(path)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_request"), path


def test_invalid_host_headers_cause_no_server_error(api: ApiClient):
    for host in ("xn--a", "a b", "x" * 300, "[::1", "%00"):
        for path in ("/openapi.json", "/twins"):
            answer = api.get(path, headers=api.headers | {"Host": host})
            assert answer.status_code in (200, 400), host
