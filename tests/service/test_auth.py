"""Authorization: who may call which operation, with `Authorization` or `X-API-Key`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest
from sqlalchemy import select

from core.db.database import Database
from service.access.api_keys import MAX_KEYS, ApiKeys, TooManyKeys
from service.api.operations import Operation
from service.api.routes import operations
from service.container import Container
from service.docs.openapi import path_template
from service.schema import api_keys
from tests.service.client import ApiClient
from tests.service.credentials import Credentials

Form = Callable[[str], dict[str, str]]

FORMS: dict[str, Form] = {
    "Bearer": lambda secret: {"Authorization": f"Bearer {secret}"},
    "X-API-Key": lambda secret: {"X-API-Key": secret},
    "both": lambda secret: {"Authorization": f"Bearer {secret}", "X-API-Key": secret},
}
GOOD_KEYS = ("read_only key", "full_access key")
BODIES = {
    "create_conversation": {"twinId": "ada"},
    "send_message": {"content": "Hello"},
    "stream_message": {"content": "Hello"},
    "create_key": {"name": "new", "scope": "read_only"},
}
# Status of an authorized request, by operation. Operations that are not listed get status 404,
# because the ids in their paths do not exist.
LET_IN = {
    "list_twins": 200,
    "show_twin": 200,
    "create_conversation": 201,
    "list_conversations": 200,
    "create_key": 201,
    "list_keys": 200,
}


@pytest.mark.spec("S25", "S57", "S64", "S65", "S66", "S67")
def test_every_operation_checks_the_credential(api: ApiClient, credentials: Credentials):
    made = {name: credentials.make(name) for name in Credentials.kinds()}
    cells = list(product(made, operations.all, FORMS))
    wrong = []
    for name, operation, form in cells:
        answer = ask(api, operation, FORMS[form](made[name]))

        wanted = (expected(operation, name, form), name in GOOD_KEYS)
        challenged = "Bearer" in answer.headers.get("WWW-Authenticate", "")
        if (answer.status_code, "RateLimit" in answer.headers) != wanted or (
            answer.status_code == 401 and not challenged
        ):
            wrong.append((name, operation.name, form, answer.status_code, answer.headers))
    assert wrong == []
    assert len(cells) >= 196


def expected(operation: Operation, credential: str, form: str) -> int:
    """Return the status that the interface requires."""
    let_in = LET_IN.get(operation.name, 404)
    if operation.required_access == "a JWT":
        return let_in if credential == "JWT" and form != "X-API-Key" else 401
    if credential == "read_only key" and operation.required_access == "full_access":
        return 403
    return let_in if credential in GOOD_KEYS else 401


@pytest.mark.spec("S25")
def test_every_operation_requires_a_credential(api: ApiClient):
    lacking: list[dict[str, str]] = [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YWxpY2U6c2VjcmV0"},
        {"X-API-Key": ""},
    ]
    statuses = {
        (str(headers), operation.name): ask(api, operation, headers).status_code
        for headers, operation in product(lacking, operations.all)
    }

    assert statuses == dict.fromkeys(statuses, 401)


@pytest.mark.spec("S64")
def test_two_different_api_keys_are_rejected(api: ApiClient, credentials: Credentials):
    wrong = []
    for first, second in [
        ("full_access key", "read_only key"),
        ("garbage", "full_access key"),
        ("full_access key", "garbage"),
    ]:
        headers = FORMS["Bearer"](credentials.make(first))
        headers |= FORMS["X-API-Key"](credentials.make(second))
        for operation in operations.all:
            answer = ask(api, operation, headers)
            wanted = (
                (401, "unauthorized") if operation.required_access == "a JWT" else (400, "two_keys")
            )
            if (answer.status_code, answer.json()["code"]) != wanted:
                wrong.append((first, second, operation.name, answer.text))
    assert wrong == []


@pytest.mark.spec("S64", "S67")
def test_credential_of_another_kind_is_ignored(api: ApiClient, credentials: Credentials):
    """A proxy may add its own `Authorization`, and a client may send its key with all requests."""
    key, token = credentials.make("full_access key"), credentials.make("JWT")
    wrong = []
    for authorization in ("Basic YWxpY2U6c2VjcmV0", "Negotiate abc", "Bearer", "", token):
        scheme = "" if authorization != token else "Bearer "
        headers = {"Authorization": f"{scheme}{authorization}", "X-API-Key": key}
        for operation in operations.all:
            needs_jwt = operation.required_access == "a JWT"
            is_let_in = not needs_jwt or authorization == token
            answer = ask(api, operation, headers)
            wanted = (
                LET_IN.get(operation.name, 404) if is_let_in else 401,
                not (needs_jwt and is_let_in),
            )
            if (answer.status_code, "RateLimit" in answer.headers) != wanted:
                wrong.append((authorization, operation.name, answer.status_code, answer.text))
    assert wrong == []


def ask(api: ApiClient, operation: Operation, headers: Mapping[str, str]) -> Any:
    path = path_template(operation)
    for name, value in {"twinId": "ada", "messageId": "none-at-all"}.items():
        path = path.replace(f"{{{name}}}", value)
    path = path.replace("{conversationId}", "none").replace("{keyId}", "none")
    return api._send(operation.method, path, json=BODIES.get(operation.name), headers=headers)


@pytest.mark.spec("S24", "S73")
def test_expired_api_key_is_rejected(api: ApiClient, container: Container, url: str):
    token = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    body = {"name": "short", "scope": "read_only", "expiresIn": 1}
    made = api.post("/auth/api-keys", json=body, headers=token).json()["data"]
    assert made["expiresAt"] > made["createdAt"]
    friend = {"X-API-Key": made["key"]}
    assert api.get("/twins", headers=friend).status_code == 200

    with container.database.write() as connection:
        connection.execute(api_keys.update().values(expires_at=time.time()))

    answer = api.get("/twins", headers=friend)
    assert (answer.status_code, answer.json()["error"]) == (401, "The API key has expired.")


def test_api_key_lifetime_out_of_range_is_rejected(api: ApiClient, container: Container):
    token = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    body = {"name": "short", "scope": "read_only"}
    answers = [
        api.post("/auth/api-keys", json=body | {"expiresIn": seconds}, headers=token)
        for seconds in (0, 316_224_001, "soon")
    ]

    told = "expiresIn should be a number of seconds from 1 to 316,224,000."
    assert [(a.status_code, a.json()["error"]) for a in answers] == [(422, told)] * 3


@pytest.mark.spec("S22", "S24", "S74", "S75")
def test_api_keys_are_listed_and_revoked_only_by_their_owner(api: ApiClient, container: Container):
    alice, bob = (
        {"Authorization": f"Bearer {container.jwt_tokens.sign(sub)}"} for sub in ("al", "bob")
    )
    body = {"name": "laptop", "scope": "read_only"}
    made = api.post("/auth/api-keys", json=body, headers=alice).json()["data"]
    secret = {"X-API-Key": made.pop("key")}
    assert api.get("/twins", headers=secret).status_code == 200

    (listed,) = api.get("/auth/api-keys", headers=alice).json()["data"]
    assert listed["lastUsedAt"] >= listed["createdAt"]
    assert listed | {"lastUsedAt": None} == made
    assert api.get("/auth/api-keys", headers=bob).json()["data"] == []
    assert api.delete(f"/auth/api-keys/{made['id']}", headers=bob).status_code == 404
    assert api.get("/twins", headers=secret).status_code == 200

    assert api.delete(f"/auth/api-keys/{made['id']}", headers=alice).status_code == 204
    assert api.get("/twins", headers=secret).status_code == 401
    assert api.delete(f"/auth/api-keys/{made['id']}", headers=alice).status_code == 404
    assert api.get("/auth/api-keys", headers=alice).json()["data"] == []


def test_api_key_limit_includes_keys_revoked_within_the_last_hour(
    api: ApiClient, container: Container
):
    made = [
        container.api_keys.create("bob", str(number), "read_only")[0] for number in range(MAX_KEYS)
    ]
    headers = {"Authorization": f"Bearer {container.jwt_tokens.sign('bob')}"}
    body = {"name": "one more", "scope": "full_access"}

    answer = api.post("/auth/api-keys", json=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_keys")

    # A revoked key counts towards the limit for another hour. If it did not, replacing keys would
    # give the person more requests.
    assert api.delete(f"/auth/api-keys/{made[0].id}", headers=headers).status_code == 204
    assert api.post("/auth/api-keys", json=body, headers=headers).status_code == 409
    with container.database.write() as connection:
        an_hour_ago = time.time() - 3601
        worn = api_keys.update().where(api_keys.c.id == made[0].id).values(revoked_at=an_hour_ago)
        connection.execute(worn)
        worn = api_keys.update().where(api_keys.c.id == made[1].id).values(expires_at=an_hour_ago)
        connection.execute(worn)

    statuses = [api.post("/auth/api-keys", json=body, headers=headers).status_code for _ in "123"]
    assert statuses == [201, 201, 409]


@pytest.mark.limit("L46")
def test_api_key_limit_holds_for_concurrent_requests(database: Database):
    def make(number: int) -> bool:
        try:
            ApiKeys(database).create("alice", str(number), "read_only")
        except TooManyKeys:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(make, range(10 * MAX_KEYS))) == MAX_KEYS


def test_api_keys_are_stored_as_hashes(container: Container, full_key: str):
    with container.database.read() as connection:
        stored = str(connection.execute(select(api_keys)).all())

    assert full_key not in stored
    assert full_key[3:] not in stored


def test_api_keys_are_unique(container: Container):
    made = {ApiKeys(container.database).create("alice", "t", "read_only")[1] for _ in range(50)}

    assert len(made) == 50
