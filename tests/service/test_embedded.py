"""The service inside the portal, and API keys of the portal, whose owner no token can claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import Client

from tests.support.portals import close_portal
from twindow import application
from twindow.core.settings import load_settings
from twindow.service.container import Container
from twindow.service.credentials import ReservedName
from twindow.service.owners import PORTAL_OWNER


@pytest.fixture
def embedding(tmp_path: Path) -> Iterator[application.Twindow]:
    """Return a portal with an embedded service."""
    settings = load_settings({"data_dir": tmp_path, "model_url": "http://127.0.0.1:9"})
    embedding = application.Twindow(settings)
    yield embedding
    embedding.close()
    close_portal(embedding.app)
    assert embedding.service
    embedding.service.container.database.close()


def test_portal_uses_an_api_key_whose_owner_is_reserved_for_the_portal(
    embedding: application.Twindow, tmp_path: Path
):
    assert embedding.service
    secret = (tmp_path / "portal_key").read_text()

    key = embedding.service.container.api_keys.find_by_secret(secret)

    assert key is not None
    assert key.sub == PORTAL_OWNER


def test_new_data_folder_with_the_same_secret_and_database_has_the_same_key(tmp_path: Path):
    """A container may lose its folder at each start, and an owner has a hundred keys at most."""
    settings = {
        "database_url": f"sqlite:///{tmp_path}/shared.db",
        "secret_key": "k" * 32,
        "model_url": "http://127.0.0.1:9",
    }
    found = set()
    for name in ("first", "second"):
        portal = application.Twindow(load_settings(settings | {"data_dir": tmp_path / name}))
        keys = portal.service.container.api_keys
        found.add((tmp_path / name / "portal_key").read_text())
        listed = keys.list_page(PORTAL_OWNER, 1, 10).items
        portal.close()
        close_portal(portal.app)

    assert (len(found), len(listed)) == (1, 1)


def test_revoked_key_of_the_portal_is_replaced(tmp_path: Path):
    settings = load_settings({"data_dir": tmp_path, "model_url": "http://127.0.0.1:9"})
    found = set()
    for _ in range(2):
        portal = application.Twindow(settings)
        keys = portal.service.container.api_keys
        key = keys.find_by_secret((tmp_path / "portal_key").read_text())
        assert key
        found.add(key.id)
        assert keys.revoke(PORTAL_OWNER, key.id)
        portal.close()
        close_portal(portal.app)

    assert len(found) == 2


def test_errors_under_the_api_path_are_json(embedding: application.Twindow):
    client = Client(embedding)
    paths = ("/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/twins", "/api/nowhere")
    answers = [client.get(path) for path in paths]
    long_host = client.get("/api/v1/nowhere", headers={"Host": "x" * 64})

    for answer in [*answers, client.post("/api")]:
        assert (answer.status_code, answer.mimetype) == (404, "application/json")
        assert answer.get_json()["code"] == "not_found"
    assert (long_host.status_code, long_host.get_json()["code"]) == (400, "bad_request")
    assert client.get("/apiary").mimetype == "text/html"
    assert client.get("/", headers={"Host": "x" * 64}).status_code == 400


def test_token_cannot_claim_a_reserved_owner(container: Container):
    for sub in ("portal", PORTAL_OWNER):
        with pytest.raises(ReservedName):
            container.jwt_tokens.sign(sub)
    for sub in ("Portal", "portals", "group:portal"):
        assert container.jwt_tokens.verify(container.jwt_tokens.sign(sub)).sub == sub


def test_commands_create_keys_but_no_tokens_of_the_portal(service: Flask, container: Container):
    runner = service.test_cli_runner()
    refused = runner.invoke(args=["twindow", "token", "--sub", "portal"])
    command = ["twindow", "key", "--sub", "portal", "--name", "Our portal"]
    secret = runner.invoke(args=command).stdout.strip()

    key = container.api_keys.find_by_secret(secret)
    assert key is not None
    assert key.sub == PORTAL_OWNER
    assert (refused.exit_code, "reserved" in refused.output) == (1, True)
