"""Who may do what: the same rule for both header forms."""

from __future__ import annotations

import time
from collections.abc import Callable

import jwt
import pytest
from sqlalchemy import select

from service import limits
from service.current import Parts
from service.keys import Keys
from service.tables import keys
from tests.service.conftest import Api

ENDPOINTS = [
    ("GET", "/twins", None, "read_only"),
    ("GET", "/twins/ada", None, "read_only"),
    ("POST", "/conversations", {"twinId": "ada"}, "full_access"),
    ("GET", "/conversations", None, "read_only"),
    ("POST", "/conversations/none/messages", {"content": "x"}, "full_access"),
    ("POST", "/conversations/none/messages/stream", {"content": "x"}, "full_access"),
]
FORMS: dict[str, Callable[[str], dict[str, str]]] = {
    "Bearer": lambda key: {"Authorization": f"Bearer {key}"},
    "X-API-Key": lambda key: {"X-API-Key": key},
}
CREDENTIALS = ("none", "garbage", "read_only", "full_access", "jwt", "typing error")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("credential", CREDENTIALS)
@pytest.mark.parametrize(("method", "path", "body", "scope"), ENDPOINTS)
def test_every_endpoint_asks_for_the_right_key(
    api: Api, parts: Parts, method, path, body, scope, credential, form
):
    given = {
        "none": None,
        "garbage": "tw_garbage",
        "jwt": parts.tokens.sign("alice"),
        "typing error": parts.keys.make("alice", "t", "full_access")[1][:-1] + "!",
    }
    secret = (
        given.get(credential)
        if credential in given
        else (parts.keys.make("alice", "t", credential)[1])
    )
    headers = FORMS[form](secret) if secret else {}

    answer = api._send(method, path, json=body, headers=headers)

    if credential not in ("read_only", "full_access"):
        assert answer.status_code == 401
        assert "Bearer" in answer.headers["WWW-Authenticate"]
    elif credential == "read_only" and scope == "full_access":
        assert answer.status_code == 403
    else:
        assert answer.status_code == (404 if "none" in path else 201 if body else 200)


@pytest.mark.parametrize("credential", ["read_only", "full_access"])
@pytest.mark.parametrize("form", FORMS)
def test_an_api_key_is_no_jwt(api: Api, parts: Parts, credential: str, form: str):
    secret = parts.keys.make("alice", "t", credential)[1]

    answer = api.post(
        "/auth/api-keys", json={"name": "x", "scope": "read_only"}, headers=FORMS[form](secret)
    )

    assert answer.status_code == 401


def test_both_headers_must_agree(api: Api, full_key: str, read_key: str):
    same = FORMS["Bearer"](full_key) | FORMS["X-API-Key"](full_key)
    different = FORMS["Bearer"](full_key) | FORMS["X-API-Key"](read_key)

    assert api.get("/twins", headers=same).status_code == 200
    assert api.get("/twins", headers=different).status_code == 400


BAD_CLAIMS = {
    "expired": {"exp": 1},
    "for somebody else": {"aud": "another"},
    "without a subject": {"sub": None},
    "with an empty subject": {"sub": ""},
    "without an expiry": {"exp": None},
    "without an audience": {"aud": None},
}


@pytest.mark.parametrize("claims", BAD_CLAIMS.values(), ids=BAD_CLAIMS)
def test_a_jwt_proves_nothing_when_it_is(api: Api, parts: Parts, claims: dict[str, object]):
    good = {"sub": "alice", "aud": "twindow", "exp": int(time.time()) + 60}
    bad = {name: value for name, value in (good | claims).items() if value is not None}
    token = jwt.encode(bad, parts.settings.secret("jwt_secret"), algorithm="HS256")

    assert make_key(api, token) == 401
    assert make_key(api, jwt.encode(good, "another secret" * 3, algorithm="HS256")) == 401
    assert make_key(api, jwt.encode(good, None, algorithm="none")) == 401
    assert (
        make_key(api, jwt.encode(good, parts.settings.secret("jwt_secret"), algorithm="HS256"))
        == 201
    )


def make_key(api: Api, token: str) -> int:
    body = {"name": "x", "scope": "read_only"}
    headers = {"Authorization": f"Bearer {token}"}
    return api.post("/auth/api-keys", json=body, headers=headers).status_code


def test_keys_are_kept_as_hashes(parts: Parts, full_key: str):
    with parts.database.read() as connection:
        stored = str(connection.execute(select(keys)).all())

    assert full_key not in stored
    assert full_key[:11] in stored
    assert full_key[11:] not in stored


def test_two_keys_are_never_alike(parts: Parts):
    made = {Keys(parts.database).make("alice", "t", "read_only")[1] for _ in range(50)}

    assert len(made) == 50


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scope", ["read_only", "full_access"])
def test_a_key_has_its_requests_of_the_hour(
    api: Api, parts: Parts, monkeypatch: pytest.MonkeyPatch, scope: str, form: str
):
    monkeypatch.setitem(limits.PER_HOUR, scope, 3)
    headers = FORMS[form](parts.keys.make("alice", "t", scope)[1])

    answers = [api.get("/twins", headers=headers) for _ in range(5)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert [a.headers["X-RateLimit-Remaining"] for a in answers] == ["2", "1", "0", "0", "0"]
    assert answers[0].headers["RateLimit-Policy"] == '"hour";q=3;w=3600'
    assert 3590 < int(answers[3].headers["Retry-After"]) <= 3600
    assert "Retry-After" not in answers[0].headers
    assert answers[3].json()["code"] == "rate_limited"


def test_the_limits_are_those_of_the_document():
    assert limits.PER_HOUR == {"read_only": 200, "full_access": 500}


def test_the_hour_rolls(api: Api, parts: Parts, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(limits.PER_HOUR, "full_access", 1)
    now = time.time()
    monkeypatch.setattr(limits.time, "time", lambda: now)
    assert api.get("/twins").status_code == 200
    assert api.get("/twins").status_code == 429

    monkeypatch.setattr(limits.time, "time", lambda: now + 3601)
    assert api.get("/twins").status_code == 200
