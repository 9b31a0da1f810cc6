"""Permissions of each scope, and how a caller gets a credential."""

from __future__ import annotations

import pytest
from flask import Flask

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@pytest.fixture
def path(api: ApiClient, model: Upstream) -> str:
    """Return the path of a conversation that has a message and its reply."""
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}"
    api.post(f"{path}/messages", json={"content": "Hello"})
    return path


@pytest.mark.spec("S69")
def test_read_only_key_can_read_everything_and_write_nothing(
    api: ApiClient, read_key: str, path: str
):
    reader = {"Authorization": f"Bearer {read_key}"}

    for url in ("/twins", "/twins/ada", "/conversations", path, f"{path}/messages"):
        answer = api.get(url, headers=reader)
        assert answer.status_code == 200
        assert answer.json() == api.get(url).json()
    message_id = api.get(f"{path}/messages").json()["data"][0]["id"]
    refused = [
        api.post("/conversations", json={"twinId": "ada"}, headers=reader),
        api.post(f"{path}/messages", json={"content": "Hello"}, headers=reader),
        api.post(f"{path}/messages/stream", json={"content": "Hello"}, headers=reader),
        api.delete(f"{path}/messages/{message_id}", headers=reader),
    ]
    assert [answer.status_code for answer in refused] == [403] * 4
    assert len(api.get("/conversations").json()["data"]) == 1
    assert len(api.get(f"{path}/messages").json()["data"]) == 2


@pytest.mark.spec("S70")
def test_full_access_key_can_read_and_write(api: ApiClient, path: str):
    for url in ("/twins", "/twins/ada", "/conversations", path, f"{path}/messages"):
        assert api.get(url).status_code == 200
    message_id = api.get(f"{path}/messages").json()["data"][0]["id"]

    assert api.post("/conversations", json={"twinId": "ada"}).status_code == 201
    assert api.post(f"{path}/messages", json={"content": "Hello"}).status_code == 201
    assert api.post(f"{path}/messages/stream", json={"content": "Hello"}).status_code == 200
    assert api.delete(f"{path}/messages/{message_id}").status_code == 204


@pytest.mark.spec("S68")
@pytest.mark.parametrize("scope", ["read_only", "full_access"])
def test_api_key_has_the_scope_chosen_at_creation(api: ApiClient, container: Container, scope: str):
    token = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    body = {"name": "laptop", "scope": scope}
    made = api.post("/auth/api-keys", json=body, headers=token).json()["data"]

    (listed,) = (
        key
        for key in api.get("/auth/api-keys", headers=token).json()["data"]
        if key["id"] == made["id"]
    )
    assert made["scope"] == listed["scope"] == scope


@pytest.mark.spec("S72")
def test_token_command_prints_a_jwt_that_can_create_api_keys(service: Flask, api: ApiClient):
    command = ["twindow", "token", "--sub", "carol"]
    token = service.test_cli_runner().invoke(args=command).output.strip()

    body = {"name": "laptop", "scope": "full_access"}
    made = api.post("/auth/api-keys", json=body, headers={"Authorization": f"Bearer {token}"})

    assert made.status_code == 201
    carol = {"X-API-Key": made.json()["data"]["key"]}
    api.create_conversation()
    assert api.get("/conversations", headers=carol).json()["data"] == []
