"""The API version is part of the path and of nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@pytest.mark.spec("S94")
def test_every_api_path_begins_with_the_version(service: Flask, api: ApiClient):
    rules = {rule.rule for rule in service.url_map.iter_rules()}

    assert "/api/v1/twins" in rules
    others = {rule for rule in rules if not rule.startswith("/api/v1/")}
    assert others == {"/livez", "/healthz", "/readyz"}
    base = api.url.removesuffix("/api/v1")
    for path in ("/twins", "/v1/twins", "/api/twins", "/api/v2/twins"):
        answer = api.session.get(base + path, headers=api.headers, timeout=10)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.spec("S95")
def test_unknown_fields_and_parameters_are_ignored(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    new: dict[str, Any] = {"mood": {"calm": True}, "twin_id": "other", "id": "mine"}

    made = api.post("/conversations", json={"twinId": "ada"} | new).json()["data"]
    sent = api.post(f"/conversations/{made['id']}/messages", json={"content": "Hello"} | new)
    listed = api.get("/conversations?sort=title&twin_id=other").json()["data"]

    assert made["id"] != "mine"
    assert sent.status_code == 201
    assert [conversation["id"] for conversation in listed] == [made["id"]]


@pytest.mark.spec("S95")
def test_nothing_is_marked_as_deprecated(api: ApiClient):
    document = api.get("/openapi.json")

    assert "deprecated" not in document.text
    for answer in (document, api.get("/twins"), api.get("/nowhere")):
        assert not {"Deprecation", "Sunset", "Warning"} & set(answer.headers)


@pytest.mark.spec("S96")
def test_version_is_selected_only_by_the_path(api: ApiClient):
    wishes: list[dict[str, dict[str, str]]] = [
        {"headers": {"Accept": "application/vnd.twins.v2+json"}},
        {"headers": {"X-API-Version": "2"}},
        {"headers": {"API-Version": "2"}},
        {"params": {"version": "2"}},
    ]
    plain = api.get("/twins/ada").json()
    assert plain["data"]["id"] == "ada"
    for wish in wishes:
        asked = wish | {"headers": api.headers | wish.get("headers", {})}
        assert api.get("/twins/ada", **asked).json() == plain, wish
