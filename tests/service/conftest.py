"""Fixtures that run the service on a real socket, with a scripted model server behind it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.service.credentials import Credentials
from tests.service.identity_provider import ISSUER, IdentityProvider
from tests.support import upstream_server
from tests.support.clock import AdjustableClock
from tests.support.portals import serve
from tests.support.upstream import Upstream
from twindow.core.clock import Clock
from twindow.core.db.database import Database
from twindow.core.server.process_load import ProcessLoad
from twindow.core.settings import load_settings
from twindow.service.app import create_service_app
from twindow.service.container import Container, get_container
from twindow.service.credentials.jwt_tokens import JwtTokens
from twindow.service.llm.demo.process import DemoProcess

TWIN = """---
name: Ada
description: Explains things.
greeting: Hello.
starters: [One, Two, Three]
examples:
  - message: What is one and one?
    reply: Two.
temperature: 0.2
max_tokens: 50
---
You are Ada.
"""


@pytest.fixture(autouse=True)
def default_log_level() -> Iterator[None]:
    """Restore the log level, which the command `twins` raises."""
    yield
    logging.getLogger("twindow.service").setLevel(logging.NOTSET)


@pytest.fixture
def clock() -> AdjustableClock:
    """Return a clock that shows the system's time, because PyJWT uses that."""
    return AdjustableClock()


@pytest.fixture
def database(database_url: str, clock: Clock) -> Iterator[Database]:
    database = Database(database_url, clock=clock)
    yield database
    database.close()


@pytest.fixture
def model() -> Iterator[Upstream]:
    with upstream_server.run_upstream() as upstream:
        yield upstream


@pytest.fixture
def service_settings(model: Upstream, tmp_path: Path, sqlite_template: Path) -> dict[str, Any]:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    shutil.copy(sqlite_template, data / "service.db")  # faster than migrations
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
def new_service(service_settings: dict[str, Any], clock: Clock) -> Iterator[Callable[..., Flask]]:
    """Return a factory. Each call creates another service application, as a process would."""
    apps: list[Flask] = []

    def new_service(load: ProcessLoad | None = None) -> Flask:
        apps.append(create_service_app(load_settings(service_settings), clock, load))
        return apps[-1]

    yield new_service
    for app in apps:
        get_container(app).reply_manager.close()
        get_container(app).database.close()


@pytest.fixture
def service(new_service: Callable[..., Flask]) -> Flask:
    return new_service()


@pytest.fixture
def container(service: Flask) -> Container:
    return get_container(service)


@pytest.fixture
def url(service: Flask) -> Iterator[str]:
    with serve(service) as url:
        yield url


@pytest.fixture
def full_key(container: Container) -> str:
    return container.api_keys.create("alice", "test", "full_access")[1]


@pytest.fixture
def read_key(container: Container) -> str:
    return container.api_keys.create("alice", "test", "read_only")[1]


@pytest.fixture
def api(url: str, full_key: str) -> Iterator[ApiClient]:
    api = ApiClient(url, full_key)
    yield api
    api.session.close()


@pytest.fixture
def stranger(url: str, container: Container) -> Iterator[ApiClient]:
    """Return a client of Bob; all other clients are Alice's."""
    stranger = ApiClient(url, container.api_keys.create("bob", "his", "full_access")[1])
    yield stranger
    stranger.session.close()


@pytest.fixture
def jwt_headers(container: Container) -> dict[str, str]:
    """Return headers with a JWT of Alice."""
    return {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}


@pytest.fixture
def credentials(container: Container) -> Credentials:
    return Credentials(container)


@pytest.fixture
def identity_provider() -> Iterator[IdentityProvider]:
    with upstream_server.run_upstream() as upstream:
        identity_provider = IdentityProvider(upstream)
        identity_provider.add_key("one")
        yield identity_provider


@pytest.fixture
def tokens(identity_provider: IdentityProvider, tmp_path: Path, clock: Clock) -> JwtTokens:
    return JwtTokens(
        load_settings(
            {"data_dir": tmp_path, "jwt_jwks_url": identity_provider.url, "jwt_issuer": ISSUER}
        ),
        clock,
    )


@pytest.fixture
def scripted_demo_model(
    service_settings: dict[str, Any], model: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let the service take the scripted model server for the demo model."""
    del service_settings["model_url"], service_settings["model"]
    monkeypatch.setattr(DemoProcess, "start", lambda _: None)
    monkeypatch.setattr(DemoProcess, "url_and_key", lambda _: (f"{model.url}/v1", "key"))
