"""API keys: endpoint 7 of the interface, and how a key ends."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from twindow.core.db.database import Database
from twindow.service.container import Container
from twindow.service.credentials.api_keys import MAX_KEYS, ApiKeys, TooManyKeys
from twindow.service.schema import api_keys

LAPTOP = {"name": "laptop", "scope": "read_only"}


@pytest.mark.spec("S7", "S11", "S20", "S22", "S33", "S41", "S56", "S60", "S62", "S68")
@pytest.mark.parametrize(("scope", "status"), [("read_only", 403), ("full_access", 201)])
def test_new_api_key_has_the_chosen_name_and_scope_and_works_at_once(
    api: ApiClient, jwt_headers: dict[str, str], scope: str, status: int
):
    conversation = api.create_conversation()
    body = {"name": " Größe's <laptop> ", "scope": scope}
    answer = api.post("/auth/api-keys", json=body, headers=jwt_headers)

    assert (answer.status_code, list(answer.json())) == (201, ["data"])
    made = answer.json()["data"]
    key = {"X-API-Key": made["key"]}
    assert set(made) == {"id", "name", "scope", "key", "createdAt", "expiresAt", "lastUsedAt"}
    assert made | body | {"expiresAt": None, "lastUsedAt": None} == made
    listed = api.get("/conversations", headers=key).json()["data"]
    assert [each["id"] for each in listed] == [conversation]
    assert api.post("/conversations", json={"twinId": "ada"}, headers=key).status_code == status


def test_new_api_key_has_the_groups_of_the_jwt(api: ApiClient, container: Container):
    text = "---\nname: Ada\naccess: ['group:team']\n---\n"
    (container.twins.folder / "ada.md").write_text(text)
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice', groups=['team'])}"}

    made = api.post("/auth/api-keys", json=LAPTOP, headers=jwt).json()["data"]

    assert api.get("/twins/ada").status_code == 404
    assert api.get("/twins/ada", headers={"X-API-Key": made["key"]}).status_code == 200


INVALID: list[tuple[str, dict[str, Any]]] = [
    ("name", {"scope": "read_only"}),
    ("scope", {"name": "laptop"}),
    *(
        ("scope", LAPTOP | {"scope": scope})
        for scope in ("admin", "READ_ONLY", "read_only ", "", None, 1, ["read_only"])
    ),
    *(("expiresIn", LAPTOP | {"expiresIn": seconds}) for seconds in (0, 316_224_001, "soon")),
]


@pytest.mark.spec("S21", "S58", "S59", "S73")
def test_api_key_with_an_invalid_field_is_rejected(api: ApiClient, jwt_headers: dict[str, str]):
    told = []
    for field, body in INVALID:
        answer = api.post("/auth/api-keys", json=body, headers=jwt_headers)
        told.append((answer.status_code, answer.json()["details"][0]["field"]))
        if field == "expiresIn":
            reason = "should be a number of seconds from 1 to 316,224,000"
            assert answer.json()["error"] == f"expiresIn {reason}."

    assert told == [(422, field) for field, _ in INVALID]


@pytest.mark.spec("S24", "S73")
def test_expired_api_key_is_rejected(
    api: ApiClient, container: Container, jwt_headers: dict[str, str]
):
    body = LAPTOP | {"expiresIn": 1}
    made = api.post("/auth/api-keys", json=body, headers=jwt_headers).json()["data"]
    key = {"X-API-Key": made["key"]}
    assert made["expiresAt"] > made["createdAt"]
    assert api.get("/twins", headers=key).status_code == 200

    with container.database.write() as connection:
        connection.execute(api_keys.update().values(expires_at=time.time()))

    answer = api.get("/twins", headers=key)
    assert (answer.status_code, answer.json()["error"]) == (401, "The API key has expired.")


@pytest.mark.spec("S22", "S24", "S74", "S75")
def test_api_keys_are_listed_and_revoked_only_by_their_owner(api: ApiClient, container: Container):
    alice, bob = (
        {"Authorization": f"Bearer {container.jwt_tokens.sign(sub)}"} for sub in ("al", "bob")
    )
    answer = api.post("/auth/api-keys", json=LAPTOP, headers=alice)
    made, place = answer.json()["data"], answer.headers["Location"].removeprefix("/api/v1")
    secret = {"X-API-Key": made.pop("key")}
    assert api.get("/twins", headers=secret).status_code == 200

    (listed,) = api.get("/auth/api-keys", headers=alice).json()["data"]
    assert listed["lastUsedAt"] >= listed["createdAt"]
    assert listed | {"lastUsedAt": None} == made
    assert api.get("/auth/api-keys", headers=bob).json()["data"] == []
    assert api.delete(place, headers=bob).status_code == 404
    assert api.get("/twins", headers=secret).status_code == 200

    assert api.delete(place, headers=alice).status_code == 204
    assert api.get("/twins", headers=secret).status_code == 401
    assert api.delete(place, headers=alice).status_code == 404
    assert api.get("/auth/api-keys", headers=alice).json()["data"] == []


def test_api_key_limit_includes_keys_revoked_within_the_last_hour(
    api: ApiClient, container: Container, jwt_headers: dict[str, str]
):
    """Otherwise, replacing keys would give a person more requests."""
    made = [key.id for key in container.api_keys.list_page("alice", 1, 100).items]
    while len(made) < MAX_KEYS:
        made.append(container.api_keys.create("alice", "one", "read_only")[0].id)

    def create() -> tuple[int, str]:
        answer = api.post("/auth/api-keys", json=LAPTOP, headers=jwt_headers)
        return answer.status_code, answer.json().get("code")

    assert create() == (409, "too_many_keys")
    assert api.delete(f"/auth/api-keys/{made[-1]}", headers=jwt_headers).status_code == 204
    assert create() == (409, "too_many_keys")
    with container.database.write() as connection:
        for id_, column in ((made[-1], "revoked_at"), (made[-2], "expires_at")):
            ended = api_keys.update().where(api_keys.c.id == id_)
            connection.execute(ended.values({column: time.time() - 3601}))

    assert [create()[0] for _ in range(3)] == [201, 201, 409]


@pytest.mark.spec("S20", "S23", "S75")
def test_api_keys_are_listed_newest_first_and_names_need_not_be_unique(
    api: ApiClient, jwt_headers: dict[str, str], clock: AdjustableClock
):
    made = []
    for _ in range(3):
        clock.advance(1)
        answer = api.post("/auth/api-keys", json=LAPTOP, headers=jwt_headers)
        made.append(answer.json()["data"]["id"])

    listed = api.get("/auth/api-keys?limit=3", headers=jwt_headers).json()["data"]
    assert [key["id"] for key in listed] == made[::-1]
    assert {key["name"] for key in listed} == {"laptop"}


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


@pytest.mark.spec("S72")
def test_token_command_prints_a_jwt_that_can_create_api_keys(service: Flask, api: ApiClient):
    command = ["twindow", "token", "--sub", "carol"]
    token = service.test_cli_runner().invoke(args=command).output.strip()

    headers = {"Authorization": f"Bearer {token}"}
    made = api.post("/auth/api-keys", json=LAPTOP, headers=headers).json()["data"]

    api.create_conversation()
    carol = {"X-API-Key": made["key"]}
    assert api.get("/conversations", headers=carol).json()["data"] == []
