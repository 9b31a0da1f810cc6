"""Transactions, locks and migrations: failures are reported, and no write is partial."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from tests.support.databases import schema_difference
from tests.support.postgres import Postgres
from tests.support.waiting import wait_until
from twindow.core.clock import Clock
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase, migrate
from twindow.paths import MIGRATIONS
from twindow.service.app import MIGRATIONS_DIR as SERVICE_MIGRATIONS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    db = Database(f"sqlite:///{path}")
    with db.write() as connection:
        connection.execute(text("CREATE TABLE things (name TEXT)"))
    yield db
    db.close()


def things(db: Database) -> list[str]:
    with db.read() as connection:
        return list(connection.execute(text("SELECT name FROM things")).scalars())


def test_failed_transaction_is_rolled_back(db: Database):
    with pytest.raises(ZeroDivisionError), db.write() as connection:
        connection.execute(text("INSERT INTO things VALUES ('half')"))
        raise ZeroDivisionError

    assert things(db) == []


def test_write_waits_for_the_lock_of_another_process(db: Database, path: Path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    released: list[bool] = []

    class Releasing(Clock):
        def sleep(self, seconds: float) -> None:  # noqa: ARG002
            released.append(True)
            other.execute("ROLLBACK")

    db.clock = Releasing()
    with db.write() as connection:
        connection.execute(text("INSERT INTO things VALUES ('late')"))
    other.close()

    assert released == [True]
    assert things(db) == ["late"]


def test_permanent_lock_raises_database_unavailable(db: Database, path: Path):
    db.lock_timeout = 0.0
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(DatabaseUnavailable), db.write():
        pass
    other.close()
    assert things(db) == []


def test_full_disk_raises_database_unavailable(db: Database):
    with pytest.raises(DatabaseUnavailable), db.write() as connection:
        connection.execute(text("PRAGMA max_page_count = 1"))
        connection.execute(text("INSERT INTO things VALUES (:much)"), {"much": "x" * 1_000_000})

    assert things(db) == []


def test_connections_do_not_wait_inside_sqlite(db: Database):
    """A wait inside SQLite would block all greenlets of the worker."""
    with db.read() as connection:
        assert connection.execute(text("PRAGMA busy_timeout")).scalar_one() == 0


KEEPALIVES = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}


def test_postgresql_connections_do_not_wait_for_hosts_that_disappeared(postgres: Postgres):
    db = Database(postgres.create_database(template="template0"), lock_timeout=1.5)
    with db.read() as reading, db.write() as writing, db.write(reserved=True) as reserved:
        for connection in (reading, writing, reserved):
            names = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout")
            timeouts = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]
            assert timeouts == ["1500ms", "30s", "30s"]
            parameters = connection.connection.driver_connection.info.get_parameters()
            assert parameters.items() >= KEEPALIVES.items()
            assert parameters.get("keepalives", "1") == "1"
    db.close()


@pytest.mark.parametrize("reserved", [False, True])
def test_transaction_waits_for_a_free_connection_as_long_as_for_a_lock(
    postgres: Postgres, reserved: bool
):
    with closing(Database(postgres.create_database(), lock_timeout=0.1)) as db, ExitStack() as used:
        with pytest.raises(DatabaseUnavailable, match="QueuePool"):
            for _ in range(100):
                used.enter_context(db.read(reserved=reserved))
        engine = db._reserved_engine if reserved else db.engine
        assert engine.pool.timeout() == db.lock_timeout


@pytest.mark.fault("F75", "F78")
@pytest.mark.parametrize("reserved", [False, True])
def test_connections_to_a_read_only_server_are_replaced(postgres: Postgres, reserved: bool):
    url = postgres.create_database(template="template0")
    db = Database(url)
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as other:
        setting = f"ALTER DATABASE {other.info.dbname} SET default_transaction_read_only"
        other.execute(f"{setting} = on")
        with pytest.raises(DatabaseUnavailable), db.write(reserved=reserved) as connection:
            connection.exec_driver_sql("CREATE TABLE things (name TEXT)")
        other.execute(f"{setting} = off")  # existing connections stay read-only

    with db.write(reserved=reserved) as connection:
        connection.exec_driver_sql("CREATE TABLE things (name TEXT)")
    db.close()


def test_transaction_that_postgresql_ended_is_database_unavailable(postgres: Postgres):
    db = Database(postgres.create_database(template="template0"))
    with pytest.raises(DatabaseUnavailable), db.write() as connection:
        backend = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 1")
        with db.read() as other:
            running = text("SELECT count(*) FROM pg_stat_get_activity(:pid)")
            wait_until(lambda: other.execute(running, {"pid": backend}).scalar_one() == 0)
        connection.exec_driver_sql("CREATE TABLE things (name TEXT)")
    db.close()


def modes(path: Path) -> set[int]:
    return {file.stat().st_mode & 0o777 for file in path.parent.glob(f"{path.name}*")}


def test_files_of_an_sqlite_database_are_private(path: Path):
    earlier = os.umask(0)
    try:
        db = Database(f"sqlite:///{path}")
        with db.write() as connection:
            connection.execute(text("CREATE TABLE things (name TEXT)"))
        assert len(list(path.parent.glob("test.db*"))) == 3
        assert modes(path) == {0o600}
        for file in path.parent.glob("test.db*"):
            file.chmod(0o644)
        again = Database(f"sqlite:///{path}")
        assert modes(path) == {0o600}
        assert things(again) == []
    finally:
        os.umask(earlier)
    db.close()
    again.close()


@pytest.mark.usefixtures("processes")
def test_second_database_object_keeps_the_lock_that_protects_the_wal_file(db: Database, path: Path):
    Database(f"sqlite:///{path}").close()
    # The last connection to a database deletes its -wal file; `db` has a connection, too.
    program = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM things')"

    subprocess.run([sys.executable, "-c", program, path], check=True)

    assert path.with_name("test.db-wal").exists()
    assert things(db) == []


def test_database_that_is_not_a_file_changes_no_file_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    mode = tmp_path.stat().st_mode

    for url in ("sqlite://", "sqlite:///", "sqlite:///:memory:", f"sqlite:///{tmp_path}"):
        Database(url).close()

    assert tmp_path.stat().st_mode == mode
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("migrations", [MIGRATIONS, SERVICE_MIGRATIONS])
def test_error_for_a_database_of_a_newer_program_names_both_versions(
    db: Database, path: Path, migrations: Path
):
    with db.write() as connection:
        connection.execute(text("CREATE TABLE versions (version_num TEXT)"))
        connection.execute(text("INSERT INTO versions VALUES ('9999')"))

    with pytest.raises(UnsupportedDatabase) as raised:
        migrate(db, migrations, "versions")

    newest = max(file.name[:4] for file in (migrations / "versions").glob("[0-9]*.py"))
    assert f"The database {path} has version 9999" in str(raised.value)
    assert f"supports only {newest}" in str(raised.value)


@pytest.mark.parametrize("migrations", [MIGRATIONS, SERVICE_MIGRATIONS])
def test_database_of_a_revision_before_the_first_release_is_refused_and_left_untouched(
    db: Database, migrations: Path
):
    with db.write() as connection:
        connection.execute(text("CREATE TABLE versions (version_num TEXT)"))
        connection.execute(text("INSERT INTO versions VALUES ('0014')"))

    with pytest.raises(UnsupportedDatabase, match=r"by a revision before 0\.1\.0"):
        migrate(db, migrations, "versions")

    with db.read() as connection:
        names = connection.execute(text("SELECT name FROM sqlite_master")).scalars().all()
        assert set(names) == {"things", "versions"}
        assert connection.execute(text("SELECT version_num FROM versions")).scalar() == "0014"


@pytest.mark.parametrize(
    ("migrations", "is_service"),
    [(MIGRATIONS, False), (SERVICE_MIGRATIONS, True)],
    ids=["portal", "service"],
)
def test_migrations_create_the_tables_of_the_schema(
    path: Path, migrations: Path, *, is_service: bool
):
    db = Database(f"sqlite:///{path}")
    migrate(db, migrations, "versions_of_it")
    migrate(db, migrations, "versions_of_it")

    assert schema_difference(db, "versions_of_it", is_service=is_service) == []
    db.close()
