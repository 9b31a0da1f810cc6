"""Rules of linters for OpenAPI documents (spectral:oas and redocly recommended)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.api.routes import operations
from service.docs.openapi import build_document

DOCUMENT = build_document(operations.all)


def described_operations() -> list[dict[str, Any]]:
    return [method for methods in DOCUMENT["paths"].values() for method in methods.values()]


def test_document_has_contact_license_and_servers():
    info = DOCUMENT["info"]

    assert info["title"]
    assert info["version"]
    assert info["description"]
    assert info["contact"]["name"]
    assert {"name", "identifier"} <= set(info["license"])
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/api/v1"]


def test_every_operation_has_an_id_a_summary_a_description_and_a_declared_tag():
    declared = {tag["name"]: tag["description"] for tag in DOCUMENT["tags"]}
    ids = [operation["operationId"] for operation in described_operations()]

    assert len(ids) == len(set(ids)) == len(operations.all)
    assert list(declared) == sorted(declared)
    used = set()
    for operation in described_operations():
        [tag] = operation["tags"]
        used.add(tag)
        assert operation["summary"], operation["operationId"]
        assert operation["description"], operation["operationId"]
        assert [p["name"] for p in operation["parameters"] if not p["description"]] == []
    assert used == set(declared)
    assert all(declared.values())


@pytest.mark.parametrize("kind", ["schemas", "responses"])
def test_every_component_is_used(kind: str):
    text = json.dumps(DOCUMENT)
    names = DOCUMENT["components"][kind]

    assert [name for name in names if f'"#/components/{kind}/{name}"' not in text] == []
