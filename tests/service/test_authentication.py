"""Authorization: who may call which operation, with `Authorization` or `X-API-Key`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from requests import Response

from tests.service.client import ApiClient
from tests.service.credentials import Credentials
from twindow.service.api.operations import Operation
from twindow.service.api.routes import operations
from twindow.service.docs.openapi import path_template

# What each operation requires, and the status of an authorized request. The status is often 404,
# because the ids in the paths do not exist.
REQUIRED = {
    "list_twins": ("read_only", 200),
    "show_twin": ("read_only", 200),
    "create_conversation": ("full_access", 201),
    "list_conversations": ("read_only", 200),
    "send_message": ("full_access", 404),
    "stream_message": ("full_access", 404),
    "create_key": ("JWT", 201),
    "show_conversation": ("read_only", 404),
    "delete_conversation": ("full_access", 404),
    "list_messages": ("read_only", 404),
    "show_message": ("read_only", 404),
    "stop_reply": ("full_access", 404),
    "list_keys": ("JWT", 200),
    "revoke_key": ("JWT", 404),
}
ACCEPTED = {
    "read_only": {"read_only key", "full_access key"},
    "full_access": {"full_access key"},
    "JWT": {"JWT"},
}
FORMS: dict[str, Callable[[str], dict[str, str]]] = {
    "Bearer": lambda secret: {"Authorization": f"Bearer {secret}"},
    "X-API-Key": lambda secret: {"X-API-Key": secret},
    "both": lambda secret: {"Authorization": f"Bearer {secret}", "X-API-Key": secret},
}
BODIES = {
    "create_conversation": {"twinId": "ada"},
    "send_message": {"content": "Hello"},
    "stream_message": {"content": "Hello"},
    "create_key": {"name": "new", "scope": "read_only"},
}
ALLOWED = 200
PATH_IDS = {"twinId": "ada", "messageId": "none-at-all", "conversationId": "none", "keyId": "none"}


def call(api: ApiClient, operation: Operation, headers: dict[str, str]) -> Response:
    path = path_template(operation).format_map(PATH_IDS)
    body: Any = BODIES.get(operation.name)
    return api._send(operation.method, path, json=body, headers=headers)


def expected(operation: Operation, credential: str, form: str) -> int:
    """Return the status that the interface requires."""
    required, let_in = REQUIRED[operation.name]
    if credential in ACCEPTED[required]:
        return 401 if (credential, form) == ("JWT", "X-API-Key") else let_in
    is_insufficient = (credential, required) == ("read_only key", "full_access")
    return 403 if is_insufficient else 401


@pytest.mark.spec("S25", "S26", "S27", "S28", "S29", "S30", "S31", "S32", "S33", "S57")
@pytest.mark.spec("S64", "S65", "S66", "S67", "S69", "S70")
def test_every_operation_checks_the_credential(api: ApiClient, credentials: Credentials):
    made = {name: credentials.make(name) for name in Credentials.kinds()}
    wrong = []
    for name, operation, form in product(made, operations.all, FORMS):
        answer = call(api, operation, FORMS[form](made[name]))

        wanted = expected(operation, name, form), name in ACCEPTED["read_only"]
        challenged = "Bearer" in answer.headers.get("WWW-Authenticate", "")
        if (answer.status_code, "RateLimit" in answer.headers) != wanted or (
            answer.status_code == 401 and not challenged
        ):
            wrong.append((name, operation.name, form, answer.status_code, answer.headers))
    assert wrong == []


@pytest.mark.spec("S25", "S64", "S67")
def test_other_or_several_credentials_are_ignored_or_rejected(
    api: ApiClient, credentials: Credentials
):
    """A proxy may add its own `Authorization`, and a client may send its key with all requests."""
    key, reader = credentials.make("full_access key"), credentials.make("read_only key")
    bearer, basic = f"Bearer {key}", "Basic YWxpY2U6c2VjcmV0"
    # Authorization, X-API-Key, and what operations answer that require a key, or a JWT
    table: list[tuple[str | None, str | None, int, int]] = [
        (None, None, 401, 401),
        ("", None, 401, 401),
        ("Bearer", None, 401, 401),
        (basic, None, 401, 401),
        (None, "", 401, 401),
        (bearer, reader, 400, 401),
        (bearer, "garbage", 400, 401),
        ("Bearer garbage", key, 400, 401),
        (basic, key, ALLOWED, 401),
        ("Negotiate abc", key, ALLOWED, 401),
        ("Bearer", key, ALLOWED, 401),
        ("", key, ALLOWED, 401),
        (f"Bearer {credentials.make('JWT')}", key, ALLOWED, ALLOWED),
    ]
    wrong = []
    for (authorization, own_key, for_key, for_jwt), operation in product(table, operations.all):
        headers = {"Authorization": authorization, "X-API-Key": own_key}
        answer = call(api, operation, {k: v for k, v in headers.items() if v is not None})

        required, let_in = REQUIRED[operation.name]
        status = for_jwt if required == "JWT" else for_key
        is_counted = for_key == ALLOWED and (required, for_jwt) != ("JWT", ALLOWED)
        wanted = status if status != ALLOWED else let_in, is_counted
        is_named = status != 400 or answer.json()["code"] == "two_keys"
        if (answer.status_code, "RateLimit" in answer.headers) != wanted or not is_named:
            wrong.append((authorization, own_key, operation.name, answer.status_code, answer.text))
    assert wrong == []
