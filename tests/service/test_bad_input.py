"""Bad input, anywhere: a clear sentence that names the field, nothing stored, and life goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from sqlalchemy import func, select

from service.current import Parts
from service.tables import conversations, keys, messages
from tests.service.client import Api

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
def everywhere(api: Api, parts: Parts) -> list[tuple[str, bytes, dict[str, str]]]:
    """Return where bodies are read, their first field, and headers that let one in."""
    conversation = api.converse()
    token = {"Authorization": f"Bearer {parts.tokens.sign('alice')}"}
    return [
        (path.replace("ID", conversation), field, token if "auth" in path else api.headers)
        for path, field in WRITING.items()
    ]


@pytest.mark.spec("S18", "S42", "S52", "S54", "S58", "S93")
@pytest.mark.parametrize(("body", "status"), BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_bad_body_is_refused_everywhere_and_nothing_is_stored(
    api: Api,
    parts: Parts,
    everywhere: list[tuple[str, bytes, dict[str, str]]],
    body: bytes,
    status: int,
):
    before = stored(parts)
    for path, field, headers in everywhere:
        sent = {"headers": headers | {"Content-Type": "application/json"}}
        answer = api.post(path, data=body.replace(b"FIELD", field), **sent)

        assert answer.status_code == status, (path, answer.text)
        told = answer.json()
        assert set(told) == {"error", "code", "details"}
        assert told["error"].endswith(".")
        if status == 422 and b"FIELD" in body and body.startswith(b"{"):
            assert told["details"][0]["field"] == field.decode()
            assert told["error"].startswith(field.decode())
    assert stored(parts) == before
    assert api.get("/twins").status_code == 200


def stored(parts: Parts) -> list[int]:
    with parts.database.read() as connection:
        return [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (conversations, messages, keys)
        ]


def test_a_body_without_a_length_is_not_cut_off_but_refused(api: Api):
    """Its beginning might be whole, and mean something else."""

    def pieces() -> Iterator[bytes]:
        yield b'{"twinId": "ada"}'
        for _ in range(600):
            yield b" " * 1024

    headers = api.headers | {"Content-Type": "application/json"}
    answer = requests.post(f"{api.url}/conversations", data=pieces(), headers=headers, timeout=10)

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert api.get("/conversations").json()["data"] == []


@pytest.mark.spec("S35", "S36", "S46", "S47")
@pytest.mark.parametrize("name", ["page", "limit"])
@pytest.mark.parametrize(
    "value", ["0", "-1", "1.5", "x", "", "1e400", "9" * 400, "٣", "NaN", "null", "1,2", "0x10"]
)
def test_a_page_that_cannot_be_is_refused_with_its_field(api: Api, name: str, value: str):
    for path in ("/twins", "/conversations"):
        answer = api.get(path, params={name: value})

        assert answer.status_code == 400, answer.text
        assert answer.json()["details"][0]["field"] == name


@pytest.mark.parametrize(
    "id_",
    ["%00", "%ff%fe", "..%2f..%2fetc%2fpasswd", "x" * 3000, "%F0%9F%92%A9", "'%20OR%201=1", "%0d"],
)
def test_odd_ids_are_nowhere(api: Api, id_: str):
    for path in (f"/twins/{id_}", f"/conversations/{id_}", f"/conversations/{id_}/messages"):
        answer = api.get(path)

        assert answer.status_code in (400, 404), answer.text
        assert answer.json()["code"] in ("bad_request", "not_found")
