"""The API keys of the portal belong to a reserved owner that no token can claim."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from flask import Flask
from sqlalchemy import select, text

from core.database import Database
from core.migrations import migrate
from service.access import InvalidToken, ReservedName
from service.app import MIGRATIONS_DIR
from service.container import Container
from service.owners import PORTAL_OWNER
from service.schema import api_keys, conversations, idempotency_keys
from service.twins.parser import parse
from tests.service.credentials import Credentials


def test_token_cannot_claim_a_reserved_owner(container: Container):
    for sub in ("portal", PORTAL_OWNER):
        with pytest.raises(ReservedName):
            container.jwt_tokens.sign(sub)
    for sub in ("Portal", "portals", "group:portal"):
        assert container.jwt_tokens.verify(container.jwt_tokens.sign(sub)).sub == sub


def test_token_command_refuses_the_name_of_the_portal(service: Flask):
    command = ["twindow", "token", "--sub", "portal"]
    result = service.test_cli_runner().invoke(args=command)

    assert result.exit_code == 1
    assert "reserved" in result.output


def test_key_command_creates_keys_of_the_portal(service: Flask, container: Container):
    command = ["twindow", "key", "--sub", "portal", "--name", "Our portal"]
    secret = service.test_cli_runner().invoke(args=command).output.strip()

    key = container.api_keys.find_by_secret(secret)
    assert key is not None
    assert key.sub == PORTAL_OWNER


def test_access_list_entry_portal_admits_the_portal_but_no_person_of_that_name():
    ada = parse("ada", "---\nname: Ada\naccess: [portal]\n---\n", 1.0)

    assert ada.is_visible_to(PORTAL_OWNER, frozenset())
    assert not ada.is_visible_to("portal", frozenset())


def test_migration_moves_what_the_portal_owns_to_the_reserved_owner(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path}/service.db")
    earlier = tmp_path / "migrations"
    copytree(MIGRATIONS_DIR, earlier, ignore=ignore_patterns("0008*", "0009*", "001*"))
    migrate(database, earlier, "service_alembic_version")
    with database.write() as connection:
        for sub in ("portal", "alice"):
            for statement in (
                (
                    "INSERT INTO service_keys (id, sub, name, scope, prefix, digest, created_at)"
                    " VALUES (:sub, :sub, 'n', 'full_access', 'p', 'd', 0)"
                ),
                (
                    "INSERT INTO service_conversations (id, sub, twin_id, title, created_at,"
                    " updated_at, replying_until) VALUES (:sub, :sub, 'ada', '', 0, 0, 0)"
                ),
                (
                    "INSERT INTO service_messages (id, conversation_id, position, role, content,"
                    " created_at) VALUES (:sub, :sub, 1, 'user', 'Hi', 0)"
                ),
                (
                    "INSERT INTO service_presses (sub, key, message_id, at)"
                    " VALUES (:sub, 'k', :sub, 0)"
                ),
            ):
                connection.execute(text(statement), {"sub": sub})

    migrate(database, MIGRATIONS_DIR, "service_alembic_version")

    with database.read() as connection:
        for table in (api_keys, conversations, idempotency_keys):
            owners = connection.scalars(select(table.c.sub)).all()
            assert set(owners) == {PORTAL_OWNER, "alice"}
    database.close()


def test_forged_token_of_the_portal_is_refused(container: Container, credentials: Credentials):
    for sub in ("portal", PORTAL_OWNER):
        with pytest.raises(InvalidToken):
            container.jwt_tokens.verify(credentials.make_jwt(sub=sub))
