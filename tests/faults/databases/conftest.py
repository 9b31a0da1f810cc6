"""A portal whose database can be taken away: SQLite is locked, PostgreSQL is stopped."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

import app as twindow
from core.clock import Clock
from tests.faults.conftest import WORDS
from tests.support.person import Page, Person, ended
from tests.support.portals import close
from tests.support.postgres import Postgres
from tests.support.upstream import Upstream

SQLITE = "sqlite"
POSTGRESQL = "postgresql"


UNSAVED = "The portal cannot save anything at the moment. Nothing was sent; try again soon."


class Locked:
    """An SQLite file that somebody else writes to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._other: sqlite3.Connection | None = None

    def go(self) -> None:
        self._other = sqlite3.connect(self._path, isolation_level=None)
        self._other.execute("BEGIN IMMEDIATE")

    def come_back(self) -> None:
        if self._other:
            self._other.close()
            self._other = None


class Stopped:
    """A PostgreSQL that does not run."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._gone = False

    def go(self) -> None:
        self._postgres.stop()
        self._gone = True

    def come_back(self) -> None:
        if self._gone:
            self._postgres.start()
            self._gone = False


Database = Locked | Stopped


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def database(
    kind: str, request: pytest.FixtureRequest, settings: dict[str, Any]
) -> Iterator[Database]:
    """Return the portal's database, to take it away."""
    if kind == SQLITE:
        database: Database = Locked(settings["data_dir"] / "portal.db")
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["database_url"] = postgres.new_database()
        database = Stopped(postgres)
    yield database
    database.come_back()


@pytest.fixture
def lock_timeout() -> float:
    return 0.05


@pytest.fixture
def app(
    settings: dict[str, Any],
    database: Database,
    upstream: Upstream,
    clock: Clock,
    lock_timeout: float,
) -> Iterator[Flask]:
    """Make a portal whose replies end before it, so that its connections are all closed."""
    settings["database_lock_timeout"] = lock_timeout
    app = twindow.create_app(settings, clock=clock)
    yield app
    database.come_back()
    for call in upstream.calls:
        call.close()
    wait_for_producers()
    close(app)


def wait_for_producers() -> None:
    """Wait until every reply has ended."""
    for thread in threading.enumerate():
        if thread.name.startswith("turn-"):
            thread.join(10)


def press_twice_when_it_is_back(alice: Person, upstream: Upstream, form: Page) -> Page:
    """Send the form that could not be sent, with a double click."""
    page = alice.press(form, "Send", content=WORDS)
    upstream.next_call().start_stream().complete("Now")
    page = alice.press(form, "Send", content=WORDS)
    return ended(alice, page)


def given_back(page: Page) -> str:
    return page.html.select_one("textarea").get_text()
