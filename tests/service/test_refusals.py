"""What is refused, how, and that nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from service.current import Parts
from tests.service.conftest import Api


def test_an_address_with_a_nul_is_refused(api: Api):
    assert api.get("/conversations?twinId=%00").status_code == 400
    assert api.get("/conversations/%00").status_code == 400


BAD_BODIES: list[tuple[str, bytes, int]] = [
    ("no body", b"", 400),
    ("not JSON", b"{", 400),
    ("an array", b"[]", 422),
    ("null", b"null", 422),
    ("a number", b'{"content": 3}', 422),
    ("nothing in it", b"{}", 422),
    ("empty", b'{"content": ""}', 422),
    ("blank", b'{"content": " "}', 422),
    ("too long", b'{"content": "' + b"x" * 32_001 + b'"}', 422),
    ("too large", b'{"content": "' + b"x" * 300_000 + b'"}', 413),
    ("NUL", b'{"content": "a\\u0000b"}', 422),
    ("invalid UTF-8", b'{"content": "\xff"}', 400),
    ("a lone surrogate", b'{"content": "\\ud800"}', 400),
    ("deeply nested", b'{"content": ' + b"[" * 100_000, 422),
]


@pytest.mark.parametrize(
    ("body", "status"), [c[1:] for c in BAD_BODIES], ids=[c[0] for c in BAD_BODIES]
)
def test_a_bad_body_is_refused_and_nothing_is_stored(api: Api, body: bytes, status: int):
    conversation = api.converse()
    headers = api.headers | {"Content-Type": "application/json"}

    for end in ("messages", "messages/stream"):
        answer = api.post(f"/conversations/{conversation}/{end}", data=body, headers=headers)

        assert answer.status_code == status
        assert set(answer.json()) == {"error", "code", "details"}
    assert api.get(f"/conversations/{conversation}/messages").json()["data"] == []


def test_a_body_must_say_that_it_is_json(api: Api):
    answer = api.post("/conversations", data=b'{"twinId":"ada"}')

    assert answer.status_code == 415


def test_what_is_not_yours_is_not_there(api: Api, url: str, parts: Parts):
    conversation = api.converse()
    stranger = Api(url, parts.keys.make("bob", "his", "full_access")[1])
    paths: list[tuple[Any, str, dict[str, Any]]] = [
        (stranger.get, f"/conversations/{conversation}", {}),
        (stranger.get, f"/conversations/{conversation}/messages", {}),
        (stranger.post, f"/conversations/{conversation}/messages", {"json": {"content": "x"}}),
        (stranger.get, "/conversations/none", {}),
        (stranger.get, "/twins/none", {}),
        (stranger.post, "/conversations", {"json": {"twinId": "none"}}),
    ]

    answers = [ask(path, **parts) for ask, path, parts in paths]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    stranger.session.close()


def test_unknown_addresses_and_methods_answer_in_the_same_shape(api: Api):
    unknown = api.get("/nowhere")
    wrong = api.post("/twins", json={})

    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["Allow"]
