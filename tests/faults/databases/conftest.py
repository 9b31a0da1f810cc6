"""Fixtures for a portal whose database can fail: SQLite is locked, PostgreSQL is stopped."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.faults.conftest import CANNOT_SAVE, MESSAGE, message_text
from tests.support.person import Page, Person, wait_for_reply
from tests.support.portals import close_portal, join_threads, serve
from tests.support.postgres import Postgres
from tests.support.upstream import Upstream
from twindow import application
from twindow.core.clock import Clock

SQLITE = "sqlite"
POSTGRESQL = "postgresql"


class LockableSqlite:
    """An SQLite database that another connection can lock for writing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locking_connection: sqlite3.Connection | None = None

    def take_down(self) -> None:
        self._locking_connection = sqlite3.connect(self._path, isolation_level=None)
        self._locking_connection.execute("BEGIN IMMEDIATE")

    def restore(self) -> None:
        if self._locking_connection:
            self._locking_connection.close()
            self._locking_connection = None


class StoppablePostgres:
    """A PostgreSQL server that can be stopped and started."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._is_down = False

    def take_down(self) -> None:
        self._postgres.stop()
        self._is_down = True

    def restore(self) -> None:
        if self._is_down:
            self._postgres.start()
            self._is_down = False


Outage = LockableSqlite | StoppablePostgres


@pytest.fixture
def database_kind() -> str:
    """Return the kind of the database; a test chooses PostgreSQL with the marker `on_postgres`."""
    return SQLITE


on_postgres = pytest.mark.parametrize("database_kind", [POSTGRESQL])


@pytest.fixture
def database(
    database_kind: str, request: pytest.FixtureRequest, settings: dict[str, Any]
) -> Iterator[Outage]:
    """Return the portal's database, with methods that start and end an outage."""
    if database_kind == SQLITE:
        database: Outage = LockableSqlite(settings["data_dir"] / "portal.db")
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["database_url"] = postgres.create_database()
        database = StoppablePostgres(postgres)
    yield database
    database.restore()


@pytest.fixture
def lock_timeout() -> float:
    return 0.05


@pytest.fixture
def app(
    settings: dict[str, Any],
    database: Outage,
    upstream: Upstream,
    clock: Clock,
    lock_timeout: float,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Flask]:
    """Return a portal whose replies end before it closes, so that no connection stays open."""
    monkeypatch.setattr("twindow.core.db.database.LOCK_TIMEOUT_SECONDS", lock_timeout)
    app = application.create_app(settings, clock=clock)
    yield app
    database.restore()
    for call in upstream.calls:
        call.close()
    join_threads("turn-")
    close_portal(app)


@contextmanager
def second_portal(settings: dict[str, Any], person: Person) -> Iterator[Person]:
    """Run another portal, and yield the person's browser there; it has the same cookie."""
    app = application.create_app(settings)
    with serve(app) as url:
        there = Person(url)
        there.session = person.session
        yield there
    close_portal(app)


def assert_unsent(page: Page) -> None:
    """Assert that the message has returned to the composer, with a reason."""
    assert page.status == 503
    assert CANNOT_SAVE in page.text
    assert page.html.select_one("textarea").get_text() == MESSAGE
    assert "Traceback" not in page.text


def assert_sent_once(person: Person, upstream: Upstream, form: Page) -> None:
    """Submit a failed form twice, and assert that its message is sent once."""
    before = upstream.sent_messages()
    page = person.press(form, "Send", content=MESSAGE)
    upstream.next_call().start_stream().complete("Now")
    page = wait_for_reply(person, person.press(form, "Send", content=MESSAGE))
    assert [message_text(turn) for turn in page.turns].count(MESSAGE) == 1
    assert page.reply_states[-1] == "complete"
    assert upstream.sent_messages() == [*before, MESSAGE]
