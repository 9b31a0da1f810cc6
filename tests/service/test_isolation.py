"""Isolation: what belongs to another person looks exactly like what does not exist.

Every route with an id in its path is requested with every method, by callers of every kind. One
kind also requests malformed ids. A new route parameter must be added to `IDS`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.service.client import ApiClient
from tests.support.upstream import Upstream
from twindow.service.container import Container

METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT")
RANDOM_ID = "Zm9yZWlnbi1yYW5kb20taWQ"
MALFORMED_IDS = ("0", "x" * 300, "..%2F..", "%ff")
# For each route parameter, the key of its value in `annas_ids`.
IDS: dict[str, str | None] = {
    "conversation_id": "conversation",
    "message_id": "message",
    "twin_id": "twin",
    "key_id": "key",
    # The name of an avatar is a hash of the image. Anyone who knows the hash may get the image.
    "name": None,
}
VOLATILE_HEADERS = {"Date", "X-Request-Id", "Content-Length"}
RATE_LIMIT_HEADER = re.compile(r"X?-?RateLimit", re.IGNORECASE)


@pytest.fixture
def service_settings(service_settings: dict[str, Any]) -> dict[str, Any]:
    """Add a twin that only Anna's group may use."""
    folder: Path = service_settings["twins_dir"]
    access = "access: ['group:annas']"
    text = f"---\nname: Secret twin\n{access}\n---\nYou are a secret.\n"
    (folder / "hidden.md").write_text(text)
    return service_settings


@pytest.fixture
def annas_ids(url: str, container: Container, model: Upstream) -> dict[str, str]:
    """Return the ids of what belongs to Anna."""
    key, secret = container.api_keys.create("anna", "hers", "full_access", groups=["annas"])
    anna = ApiClient(url, secret)
    body = {"twinId": "hidden", "title": "Secret title"}
    conversation = anna.post("/conversations", json=body).json()["data"]["id"]
    model.always_reply("Secret reply")
    sent = anna.post(f"/conversations/{conversation}/messages", json={"content": "Secret"})
    anna.session.close()
    message = sent.json()["data"]["id"]
    return {"conversation": conversation, "message": message, "twin": "hidden", "key": key.id}


def credentials_of_others(container: Container) -> dict[str, Callable[[], str]]:
    """Return factories of credentials, by kind.

    A read-only key allows only 200 requests an hour, so the test uses a new credential for each
    route.
    """

    def key(sub: str = "ben", scope: Any = "full_access", **options: Any) -> str:
        return container.api_keys.create(sub, "his", scope, **options)[1]

    return {
        "other person": key,
        "other group": lambda: key(groups=["bens"]),
        "read only": lambda: key(scope="read_only"),
        "expired": lambda: key(expires_at=time.time() - 1),
        "no key": lambda: "",
        "JWT": lambda: container.jwt_tokens.sign("ben"),
    }


def templates(service: Flask) -> list[str]:
    """Return the paths of the routes that take the id of a resource."""
    return sorted(
        {
            rule.rule
            for rule in service.url_map.iter_rules()
            if any(IDS[name] for name in rule.arguments)
        }
    )


def fingerprint(response: TestResponse) -> tuple[object, ...]:
    """Return the parts of a response that are equal for identical requests."""
    headers = {
        name: value
        for name, value in response.headers.items()
        if name not in VOLATILE_HEADERS and not RATE_LIMIT_HEADER.match(name)
    }
    return response.status_code, headers, response.data


def test_isolation_tests_cover_every_route_parameter(service: Flask):
    parameters = {name for rule in service.url_map.iter_rules() for name in rule.arguments}

    assert parameters == set(IDS)


@pytest.mark.spec("S39", "S51", "S54")
def test_ids_of_other_people_give_the_same_response_as_missing_ids(
    service: Flask, container: Container, annas_ids: dict[str, str]
):
    client = service.test_client()
    cells, wrong = 0, []

    def request_as(secret: str, method: str, path: str) -> TestResponse:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        headers["If-None-Match"] = "*"
        body = {"content": "x"} if method == "POST" else None
        return client.open(path, method=method, headers=headers, json=body)

    for kind, make_credential in credentials_of_others(container).items():
        for template in templates(service):
            secret = make_credential()
            for method in METHODS:
                malformed_ids = MALFORMED_IDS if kind == "other person" else ()
                paths = [path_with(template, ids) for ids in id_sets(annas_ids, *malformed_ids)]
                responses = [request_as(secret, method, path) for path in paths]
                cells += len(paths)
                foreign, missing = map(fingerprint, responses[:2])
                is_leak = any(r.status_code >= 500 or b"Secret" in r.data for r in responses)
                if foreign != missing or is_leak:
                    wrong.append((kind, method, template))

    assert wrong == []
    assert cells > 500


def id_sets(annas_ids: dict[str, str], *malformed_ids: str) -> list[dict[str, str]]:
    """Return Anna's ids, then random and malformed ones."""
    made_up_ids = RANDOM_ID, *malformed_ids
    return [annas_ids, *(dict.fromkeys(annas_ids, made_up) for made_up in made_up_ids)]


def path_with(template: str, ids: dict[str, str]) -> str:
    """Return the path of a route with ids."""
    return re.sub(r"<(?:[^:>]*:)?([^>]*)>", lambda match: ids[IDS[match[1]] or ""], template)
