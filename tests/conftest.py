"""Fixtures of all tests: a scripted service, a portal in front of it, and people as clients."""

from __future__ import annotations

import gc
import os
import shutil
from collections import ChainMap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck
from hypothesis import settings as properties
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support import chromium, upstream_server
from tests.support import postgres as postgresql
from tests.support.clock import AdjustableClock
from tests.support.durations import Durations
from tests.support.person import Person
from tests.support.portals import close_portal, create_tables, get_portal, serve
from tests.support.postgres import Postgres
from tests.support.resources import ProcessGuard
from tests.support.upstream import UPSTREAM_KEY, Upstream
from twindow import application
from twindow.core.clock import Clock
from twindow.web.container import Portal

MEMORY_DISK = Path("/dev/shm")  # noqa: S108
# Several times what a run needs.
MEMORY_DISK_BYTES = 2 * 1024**3

# The duration of a Hypothesis example depends on the load of the machine, so it is not limited.
properties.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
properties.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Register the pytest plugins of this suite, and choose the folder for temporary files.

    Databases in memory do not wait for the disk, which saves a tenth of the time.
    """
    if MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free >= MEMORY_DISK_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))
    config.pluginmanager.register(ProcessGuard())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for the tests that `make test` leaves out."""
    parser.addoption("--nightly", action="store_true", help="also run the tests of make nightly")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the databases of a test that uses `database_url` and does not choose them itself."""
    own = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "database_url" in metafunc.fixturenames and "database_url" not in own:
        is_both = metafunc.definition.get_closest_marker("both_databases")
        databases = (
            ["sqlite", "postgresql"] if is_both or metafunc.config.option.nightly else ["sqlite"]
        )
        metafunc.parametrize("database_url", databases, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `nightly`, except in `make nightly`."""
    if not config.option.nightly:
        omitted = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=omitted)
        items[:] = [item for item in items if item not in omitted]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of test processes: one per core, plus one if browser tests are excluded.

    Tests without a browser often wait, so one more process saves time. The tests of one file run
    in this process, because starting others takes longer.
    """
    if len(config.args) == 1 and Path(config.args[0].partition("::")[0]).is_file():
        return 0
    uses_browsers = "not (browser" not in config.option.markexpr
    return (os.cpu_count() or 1) + (not uses_browsers)


def pytest_collection_finish() -> None:
    """Collect garbage less often, and ignore the objects that imports have created."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Run a real PostgreSQL server."""
    with postgresql.run_postgres() as server:
        create_tables(server.template_url)
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database file with all tables; copying the file is faster than migrations."""
    path = tmp_path_factory.mktemp("tables") / "portal.db"
    create_tables(f"sqlite:///{path}")
    return path


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path) -> str:
    """Return the URL of a new database: SQLite or PostgreSQL (see `pytest_generate_tests`)."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'twindow.db')}"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.create_database()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Run a scripted service, which the test controls."""
    with upstream_server.run_upstream() as upstream:
        yield upstream


class CompiledTemplates(BytecodeCache):
    """Compiled templates in memory."""

    def __init__(self) -> None:
        self._code: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template that was compiled before."""
        bucket.code = self._code.get(bucket.key + bucket.checksum)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        self._code[bucket.key + bucket.checksum] = bucket.code


# Shared by all portals of a test process, because compiling takes longer than rendering.
COMPILED_TEMPLATES = CompiledTemplates()


@pytest.fixture
def clock() -> AdjustableClock:
    """Return the portal's adjustable clock, whose `sleep` returns early."""
    clock = AdjustableClock()
    clock.advance_to_whole_hour()
    return clock


@pytest.fixture
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, upstream: Upstream, sqlite_template: Path
) -> dict[str, Any]:
    """Return the settings of a portal that uses the scripted service.

    `@pytest.mark.settings(sign_in="password")` changes them for a test, a class or a module.
    """
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    shutil.copy(sqlite_template, data)
    settings = {"api_url": upstream.url, "api_key": UPSTREAM_KEY, "data_dir": data}
    marks = [mark.kwargs for mark in request.node.iter_markers("settings")]
    return settings | dict(ChainMap(*marks))


@pytest.fixture
def uncached_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the portal request the list of twins from the service for every page."""
    monkeypatch.setattr("twindow.chat.catalogue.catalogue.TwinCatalogue.max_age_seconds", 0.001)


@pytest.fixture
def app(settings: dict[str, Any], upstream: Upstream, clock: Clock) -> Iterator[Flask]:
    """Create a portal, and close it afterwards."""
    app = application.create_app(settings, clock=clock)
    app.jinja_env.bytecode_cache = COMPILED_TEMPLATES
    yield app
    get_portal(app).log.close()
    upstream.close_calls()
    close_portal(app)


@pytest.fixture
def portal(app: Flask) -> Portal:
    """Return the container of the portal."""
    return get_portal(app)


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Serve the portal on a real socket."""
    with serve(app) as url:
        yield url


@pytest.fixture
def new_person(url: str) -> Iterator[Callable[[], Person]]:
    """Return a factory of people, each with their own session."""
    persons: list[Person] = []

    def create_person() -> Person:
        persons.append(Person(url))
        return persons[-1]

    yield create_person
    for person in persons:
        person.close()


@pytest.fixture
def alice(new_person: Callable[[], Person]) -> Person:
    """Return a person, Alice."""
    return new_person()


@pytest.fixture
def bob(new_person: Callable[[], Person]) -> Person:
    """Return a second person, Bob."""
    return new_person()


@pytest.fixture(scope="session")
def processes() -> None:
    """Allow a test to start processes, such as servers, commands and proxies."""


@pytest.fixture(scope="session")
def demo_model(processes: None) -> None:
    """Allow a test to run the demo model, which takes seconds."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Run a real Chromium."""
    # Find Chromium first: the search may start Playwright, which cannot run twice at once.
    path = chromium.find_or_install_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        expect.set_options(timeout=chromium.WAIT_MS)
        if chromium.SLOWDOWN > 1:
            chromium.slow_down(browser, chromium.SLOWDOWN)
        yield browser
        browser.close()
