"""What the portal says of a database that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from tests.support.clock import AdjustableClock
from tests.support.postgres import Postgres
from tests.support.processes import free_port
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase, migrate
from twindow.paths import MIGRATIONS

ADVICE = " See docs/troubleshooting.md#database."


def error_of(url: str) -> str:
    """Return what is said when the tables are created."""
    database = Database(url)
    try:
        migrate(database, MIGRATIONS, "alembic_version")
    except (DatabaseUnavailable, UnsupportedDatabase) as error:
        return str(error)
    finally:
        database.close()
    return ""


@pytest.fixture(scope="module")
def roles(postgres: Postgres) -> Iterator[None]:
    """Create the roles that need a password."""
    postgres.execute(
        "CREATE ROLE anna LOGIN PASSWORD 'pw'",
        "CREATE ROLE tls LOGIN PASSWORD 'pw'",
        "CREATE ROLE nologin PASSWORD 'pw'",
    )
    yield
    postgres.execute("DROP ROLE anna", "DROP ROLE tls", "DROP ROLE nologin")


@pytest.fixture
def name(postgres: Postgres) -> str:
    """Return the name of an empty database."""
    return str(make_url(postgres.create_database(template="template0")).database)


def test_login_that_postgresql_refuses_is_named(postgres: Postgres, name: str, roles: None):
    logins = {
        "anna:wrong": 'password authentication failed for user "anna"',
        "anna": "no password supplied",
        "nologin:pw": 'role "nologin" is not permitted to log in',
        "tls:pw": "no encryption",
        "anna:pw": "permission denied for schema public",
    }
    place = f"127.0.0.1:{postgres.port}"
    for login, reason in logins.items():
        error = error_of(f"postgresql+psycopg://{login}@{place}/{name}")

        assert error.startswith(f"The database {name} at {place} cannot be used: ")
        assert reason in error
        assert error.endswith(ADVICE)
        assert ":pw" not in error


def test_address_that_does_not_lead_to_a_database_is_named(postgres: Postgres, roles: None):
    addresses = {
        f"127.0.0.1:{free_port()}/chat": "Connection refused",
        "name.invalid/chat": "failed to resolve host",
        f"127.0.0.1:{postgres.port}/missing": 'database "missing" does not exist',
        f"127.0.0.1:{postgres.port}/chat?sslmode=require": "does not support SSL",
    }
    errors = {each: error_of(f"postgresql+psycopg://anna:pw@{each}") for each in addresses}

    assert [each for each, reason in addresses.items() if reason not in errors[each]] == []
    assert all(error.endswith(ADVICE) for error in errors.values())


def test_postgresql_that_cannot_create_tables_is_named(postgres: Postgres):
    settings = {
        "default_transaction_read_only = on": "read-only transaction",
        "search_path = nowhere": "no schema has been selected",
    }
    for setting, reason in settings.items():
        url = postgres.create_database(template="template0")
        command = f"ALTER DATABASE {make_url(url).database} SET {setting}"
        postgres.execute(command)  # type: ignore[arg-type]
        error = error_of(url)

        assert reason in error
        assert error.endswith(ADVICE)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_postgresql_without_utf8_is_refused(postgres: Postgres, encoding: str):
    name = f"enc_{encoding.lower()}"
    postgres.execute(
        f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"  # type: ignore[arg-type]
        " TEMPLATE template0"
    )
    url = make_url(postgres.template_url).set(database=name)

    assert f"The database {name} has the encoding {encoding}" in error_of(url.render_as_string())


def test_options_of_the_url_take_precedence(postgres: Postgres):
    url = postgres.create_database(template="template0")
    database = Database(f"{url}&options=-csearch_path%3Delsewhere&connect_timeout=77")
    with database.read() as connection:
        assert connection.scalar(text("SHOW search_path")) == "elsewhere"
        raw = connection.connection.driver_connection
        assert raw is not None
        assert raw.info.get_parameters()["connect_timeout"] == "77"
    database.close()


def damaged_file(folder: Path) -> Path:
    path = folder / "damaged.db"
    path.write_bytes(b"This is no SQLite database. " * 200)
    return path


def test_sqlite_file_that_cannot_be_used_is_named(tmp_path: Path):
    reasons = {
        tmp_path / "missing" / "portal.db": "unable to open",
        tmp_path: "unable to open",
        damaged_file(tmp_path): "file is not a database",
    }
    for path, reason in reasons.items():
        error = error_of(f"sqlite:///{path}")

        assert error.startswith(f"The database {path} cannot be used: {reason}")
        assert error.endswith(ADVICE)


def test_log_names_an_error_of_a_running_portal_once_a_minute(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    clock = AdjustableClock()
    database = Database(f"sqlite:///{tmp_path}/portal.db", clock=clock)

    def use_twice() -> None:
        for _ in range(2):
            with pytest.raises(DatabaseUnavailable), database.write() as connection:
                connection.execute(text("CREATE TABLE things (name TEXT)"))

    with database.write() as connection:
        connection.execute(text("PRAGMA max_page_count = 1"))
        connection.execute(text("SELECT 1"))
    use_twice()
    assert ["disk is full" in record.message for record in caplog.records] == [True]

    clock.advance(61)
    use_twice()
    assert len(caplog.records) == 2
    database.close()
