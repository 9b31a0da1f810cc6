"""One database: short transactions on SQLite or PostgreSQL, and migrations that run at start."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Insert,
    MetaData,
    RootTransaction,
    Table,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from core.clock import SYSTEM_CLOCK, Clock

metadata = MetaData()

# A lock that another process holds is waited for in steps this short: SQLite's own waiting would
# stop every greenlet of the worker.
LOCK_RETRY_SECONDS = 0.01

CONNECT_TIMEOUT_SECONDS = 5
TCP_TIMEOUT_MS = 10_000

_MIGRATION_LOCK_ID = 8429  # any number, the same for all


class DatabaseUnavailable(Exception):
    """Raised when the database is locked for too long, full, or gone; nothing was written."""


class Database:
    """Hold an engine, and hand out read and write transactions.

    `lock_timeout` is how many seconds a transaction waits for a lock; PostgreSQL keeps the first
    value. `clock` dates failures, and what others store here.
    """

    def __init__(self, url: str, *, lock_timeout: float = 2.5, clock: Clock = SYSTEM_CLOCK) -> None:
        self.clock = clock
        self.lock_timeout = lock_timeout
        # Messages must not stand in logs, as they would in the text of an error.
        # A server that was restarted must not cost a person their message: each connection is
        # asked whether it lives before it is used.
        self.engine = create_engine(
            url,
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args=_connect_args(url, lock_timeout),
        )
        self._write_lock = threading.Lock()
        # When a transaction failed last, by the monotonic clock.
        self.last_failure_at = -math.inf
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        # Otherwise each query of PostgreSQL sees a state of its own.
        self._read_engine = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(isolation_level="REPEATABLE READ")
        )
        if self.is_sqlite:
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the data. Raises DatabaseUnavailable."""
        with self._convert_errors(), self._read_engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that no other writer of an SQLite file runs beside.

        Raises DatabaseUnavailable.
        """
        if not self.is_sqlite:
            with self._convert_errors(), self.engine.begin() as connection:
                yield connection
            return
        with (
            self._convert_errors(),
            self._hold_write_lock(),
            self.engine.connect() as connection,
            self._begin_immediate(connection),
        ):
            yield connection

    def advisory_lock(self, connection: Connection, name: str) -> None:
        """Let no other transaction go past the same words until this one is over.

        SQLite has one writer anyway.
        """
        if not self.is_sqlite:
            lock = text("SELECT pg_advisory_xact_lock(hashtext(:what))")
            connection.execute(lock, {"what": name})

    @contextmanager
    def _hold_write_lock(self) -> Iterator[None]:
        if not self._write_lock.acquire(timeout=self.lock_timeout):
            raise DatabaseUnavailable
        try:
            yield
        finally:
            self._write_lock.release()

    def _begin_immediate(self, connection: Connection) -> RootTransaction:
        connection.execution_options(immediate=True)
        deadline = time.monotonic() + self.lock_timeout
        while True:
            try:
                return connection.begin()
            except OperationalError as error:
                if "locked" not in str(error):
                    raise
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable from error
                self.clock.sleep(LOCK_RETRY_SECONDS)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            self.last_failure_at = self.clock.monotonic()
            raise DatabaseUnavailable from error
        except DatabaseUnavailable:
            self.last_failure_at = self.clock.monotonic()
            raise

    def close(self) -> None:
        """Close every connection; the next transaction opens new ones."""
        self.engine.dispose()


def migrate(database: Database, migrations: Path, version_table: str) -> None:
    """Bring the tables up to the newest migration in the folder."""
    newest_version = max(path.stem.split("_")[0] for path in migrations.glob("versions/[0-9]*.py"))
    if _current_version(database, version_table) == newest_version:
        return

    # Alembic costs a sixth of a second to import, and most starts have nothing to migrate.
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)

    def upgrade(revision: Any, _context: Any) -> Any:
        return script._upgrade_revs("head", revision)

    with database.write() as connection, EnvironmentContext(config, script, fn=upgrade) as context:
        if not database.is_sqlite:
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK_ID})")
        context.configure(connection=connection, version_table=version_table)
        context.run_migrations()


def _current_version(database: Database, version_table: str) -> str | None:
    with database.read() as connection:
        if not database.engine.dialect.has_table(connection, version_table):
            return None
        result = connection.exec_driver_sql(f"SELECT version_num FROM {version_table}")  # noqa: S608
        return result.scalar()


def _connect_args(url: str, lock_timeout: float) -> dict[str, Any]:
    """Return how long a PostgreSQL is waited for: as long as an SQLite file that is locked."""
    if make_url(url).get_backend_name() == "sqlite":
        return {}
    return {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "tcp_user_timeout": TCP_TIMEOUT_MS,
        "options": f"-c lock_timeout={math.ceil(lock_timeout * 1000)}",
    }


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's documented way to own BEGIN
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "busy_timeout=50",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    is_immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_immediate else "BEGIN")


def insert_or_ignore(connection: Connection, table: Table) -> Insert:
    """Return an INSERT that leaves rows alone whose key is there already."""
    insert: Insert = _dialect_insert(connection.dialect.name, table).on_conflict_do_nothing()
    return insert


def upsert(connection: Connection, table: Table, key: str, row: dict[str, object]) -> None:
    """Insert a row, or change the one that has its key."""
    connection.execute(_upsert_statement(connection.dialect.name, table, key, frozenset(row)), row)


@cache
def _upsert_statement(dialect: str, table: Table, key: str, columns: frozenset[str]) -> Insert:
    insert = _dialect_insert(dialect, table)
    changes = {name: insert.excluded[name] for name in columns - {key}}
    statement: Insert = insert.on_conflict_do_update(index_elements=[key], set_=changes)
    return statement


def _dialect_insert(dialect: str, table: Table) -> Any:
    # Each when it is needed: a dialect costs a tenth of a second to import.
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
