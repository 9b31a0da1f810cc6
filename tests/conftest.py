"""What tests are made of: a scripted service, a portal in front of it, people with browsers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck
from hypothesis import settings as properties
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

import app as twindow
from blueprints.current import EXTENSION, Portal
from tests import browser as chromium
from tests import postgres as postgresql
from tests import upstream as scripted
from tests.person import Person
from tests.postgres import Postgres
from tests.upstream import Upstream

# How long an example takes says how busy the machine is; bench/ measures speed.
properties.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
properties.load_profile("untimed")


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application on a real socket and return its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    server.block_on_close = False  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Run a real PostgreSQL."""
    with postgresql.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a fresh database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/twindow.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.new_database()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Run a scripted service."""
    with scripted.running() as upstream:
        yield upstream


@pytest.fixture
def settings(tmp_path: Path, upstream: Upstream) -> dict[str, Any]:
    """Return the settings of a portal in front of the scripted service."""
    return {"api_url": upstream.url, "api_key": scripted.KEY, "data_dir": tmp_path / "data"}


@pytest.fixture
def app(settings: dict[str, Any], upstream: Upstream) -> Iterator[Flask]:
    """Make a portal."""
    app = twindow.create_app(settings)
    yield app
    portal_of(app).log.close()
    upstream.let_go()
    close(app)


def close(app: Flask) -> None:
    """End a portal's streams and connections."""
    portal = portal_of(app)
    portal.log.close()
    for thread in threading.enumerate():
        if thread.name.startswith("turn-"):
            thread.join(10)
    portal.client.close()
    portal.database.close()


def portal_of(app: Flask) -> Portal:
    """Return the parts of a portal."""
    found: Portal = app.extensions[EXTENSION]
    return found


@pytest.fixture
def portal(app: Flask) -> Portal:
    """Return the parts of the portal."""
    return portal_of(app)


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Serve the portal on a real socket."""
    with served(app) as url:
        yield url


@pytest.fixture
def people(url: str) -> Iterator[Callable[[], Person]]:
    """Return somebody new with each call."""
    known: list[Person] = []

    def somebody() -> Person:
        known.append(Person(url))
        return known[-1]

    yield somebody
    for person in known:
        person.close()


@pytest.fixture
def alice(people: Callable[[], Person]) -> Person:
    """Return Alice."""
    return people()


@pytest.fixture
def bob(people: Callable[[], Person]) -> Person:
    """Return Bob, who is not Alice."""
    return people()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a real Chromium."""
    path = chromium.path()  # before Playwright starts: looking for its own Chromium starts it, too
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield browser
        browser.close()
