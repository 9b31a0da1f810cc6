"""The service on a real socket, with a scripted model behind it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import NullPool, create_engine, delete

from core.clock import Clock
from core.database import Database, migrate
from core.settings import load_settings
from service.access.jwt_tokens import JwtTokens
from service.app import MIGRATIONS_DIR, create_service, get_container
from service.container import Container
from service.conversations.queue import ReplyQueue
from service.conversations.slots import QueueSlots
from service.schema import metadata
from tests.service.client import Api
from tests.service.credentials import Credentials
from tests.service.guests import Come, NewLine, coming
from tests.service.provider import ISSUER, Provider
from tests.support import upstream_server
from tests.support.portals import served
from tests.support.postgres import Postgres
from tests.support.upstream import Upstream

TWIN = """---
name: Ada
description: Explains things.
greeting: Hello.
starters: [One, Two, Three]
examples:
  - said: What is one and one?
    reply: Two.
temperature: 0.2
max_tokens: 50
---
You are Ada.
"""


@pytest.fixture(scope="session")
def postgres_url(postgres: Postgres) -> str:
    return postgres.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, tables: Path) -> str:
    """Return the address of an empty database; that of PostgreSQL serves all tests."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(tables, tmp_path / 'twindow.db')}"
    url: str = request.getfixturevalue("postgres_url")
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(delete(table))
    return url


@pytest.fixture
def database(database_url: str, clock: Clock) -> Iterator[Database]:
    database = Database(database_url, clock=clock)
    migrate(database, MIGRATIONS_DIR, "service_alembic_version")
    yield database
    database.close()


@pytest.fixture
def model() -> Iterator[Upstream]:
    with upstream_server.running() as upstream:
        yield upstream


@pytest.fixture
def service_settings(model: Upstream, tmp_path: Path, tables: Path) -> dict[str, Any]:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    shutil.copy(tables, data / "service.db")  # quicker than migrations
    twins = tmp_path / "twins"
    twins.mkdir()
    (twins / "ada.md").write_text(TWIN)
    return {
        "data_dir": data,
        "twins_dir": twins,
        "model_url": model.url,
        "model": "scripted",
        "model_timeout": 5,
    }


@pytest.fixture
def new_service(service_settings: dict[str, Any], clock: Clock) -> Iterator[Callable[[], Flask]]:
    """Return the service in one more process with each call."""
    apps: list[Flask] = []

    def new_service() -> Flask:
        apps.append(create_service(load_settings(service_settings), clock))
        return apps[-1]

    yield new_service
    for app in apps:
        get_container(app).replies.close()
        get_container(app).database.close()


@pytest.fixture
def service(new_service: Callable[[], Flask]) -> Flask:
    return new_service()


@pytest.fixture
def parts(service: Flask) -> Container:
    return get_container(service)


@pytest.fixture
def url(service: Flask) -> Iterator[str]:
    with served(service) as url:
        yield url


@pytest.fixture
def full_key(parts: Container) -> str:
    return parts.api_keys.create("alice", "test", "full_access")[1]


@pytest.fixture
def read_key(parts: Container) -> str:
    return parts.api_keys.create("alice", "test", "read_only")[1]


@pytest.fixture
def api(url: str, full_key: str) -> Iterator[Api]:
    api = Api(url, full_key)
    yield api
    api.session.close()


@pytest.fixture
def credentials(parts: Container) -> Credentials:
    return Credentials(parts)


@pytest.fixture
def lock_timeout() -> float:
    return 2.5


@pytest.fixture
def new_line(database_url: str, clock: Clock, lock_timeout: float) -> Iterator[NewLine]:
    """Return the line as one more process has it with each call; leases last for the test."""
    databases: list[Database] = []

    def new_line(places: int) -> ReplyQueue:
        databases.append(Database(database_url, lock_timeout=lock_timeout, clock=clock))
        migrate(databases[-1], MIGRATIONS_DIR, "service_alembic_version")
        line = ReplyQueue(QueueSlots(databases[-1], places))
        line.poll_seconds, line.slots.lease_seconds = 0.02, 600
        return line

    yield new_line
    for database in databases:
        database.close()


@pytest.fixture
def come(new_line: NewLine) -> Iterator[Come]:
    with coming() as come:
        yield come


@pytest.fixture
def provider() -> Iterator[Provider]:
    with upstream_server.running() as upstream:
        provider = Provider(upstream)
        provider.add("one")
        yield provider


@pytest.fixture
def tokens(provider: Provider, tmp_path: Path, clock: Clock) -> JwtTokens:
    return JwtTokens(
        load_settings({"data_dir": tmp_path, "jwt_jwks_url": provider.url, "jwt_issuer": ISSUER}),
        clock,
    )
