"""Database access: short transactions on SQLite or PostgreSQL."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    ExceptionContext,
    Insert,
    MetaData,
    RootTransaction,
    Table,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.db import sqlite
from twindow.core.db.errors import describe_fault
from twindow.core.metrics import NO_METRICS, Metrics

logger = logging.getLogger(__name__)

metadata = MetaData()

# Interval between attempts to get the lock of an SQLite file. SQLite's own busy wait would block
# every greenlet of the worker.
LOCK_RETRY_SECONDS = 0.01

# Connections to PostgreSQL for work that must not wait for slow requests.
RESERVED_CONNECTIONS = 1

CONNECT_TIMEOUT_SECONDS = 5
LOCK_TIMEOUT_SECONDS = 2.5
TCP_TIMEOUT_MS = 10_000
TRANSACTION_TIMEOUT_MS = 30_000
TIMEOUTS = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout")
# PostgreSQL reports these states if the transaction is read-only, as after a switchover, if the
# transaction was idle for too long, or if the role has no rights or no schema.
READ_ONLY_SQLSTATE = "25006"
UNAVAILABLE_SQLSTATES = {READ_ONLY_SQLSTATE, "25P03", "42501", "3F000"}
# The log names the same fault again after this time at the earliest.
FAULT_LOG_SECONDS = 60.0
LOCKED = "The database is locked by another program."

# A connection that a process has closed is listed for a moment.
CLOSING_SECONDS = 2.0
_COUNT_OTHER_CONNECTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND usename = current_user AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)

_SELECT_TIME = text("SELECT extract(epoch FROM clock_timestamp())")


class DatabaseUnavailable(Exception):
    """Raised when the database is locked for too long, full or unreachable; nothing was written.

    The message says what is wrong, and what to do.
    """


class Database:
    """An engine with read and write transactions.

    `lock_timeout` is how many seconds a transaction waits for a lock, or for a free connection to
    PostgreSQL; setting the attribute later affects only SQLite. `clock` timestamps failures; see
    `now` for the times in rows.
    """

    def __init__(
        self,
        url: str,
        *,
        lock_timeout: float | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: Metrics = NO_METRICS,
    ) -> None:
        lock_timeout = LOCK_TIMEOUT_SECONDS if lock_timeout is None else lock_timeout
        self.clock = clock
        self.metrics = metrics
        self.lock_timeout = lock_timeout
        # hide_parameters keeps the text of messages out of errors, and so out of the logs.
        # pool_pre_ping tests each connection before use, so that a restart of the database server
        # does not cost a person their message.
        options: dict[str, Any] = {
            "hide_parameters": True,
            "pool_pre_ping": True,
            "connect_args": _connect_args(url),
        }
        if not url.startswith("sqlite"):
            options["pool_timeout"] = lock_timeout
        self.engine = create_engine(url, **options)
        self._write_lock = threading.Lock()
        # Monotonic time of the last failed transaction.
        self.last_failure_at = -math.inf
        self._has_worked = False
        self._logged_fault = ""
        self._fault_logged_at = -math.inf
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._reserved_engine = (
            self.engine
            if self.is_sqlite
            else create_engine(url, pool_size=RESERVED_CONNECTIONS, max_overflow=0, **options)
        )
        # At the default level of PostgreSQL, each query would see a different snapshot.
        self._read_engine, self._reserved_read_engine = (
            engine
            if self.is_sqlite
            else engine.execution_options(isolation_level="REPEATABLE READ")
            for engine in (self.engine, self._reserved_engine)
        )
        if self.is_sqlite:
            sqlite.prepare(self.engine)
        else:
            for engine in (self.engine, self._reserved_engine):
                event.listen(engine, "handle_error", _drop_read_only_connections)
                event.listen(engine, "begin", _timeout_setter(lock_timeout))

    @contextmanager
    def read(self, *, reserved: bool = False) -> Iterator[Connection]:
        """Open a read transaction on one consistent snapshot. Raises DatabaseUnavailable.

        On PostgreSQL, `reserved` transactions have their own connection.
        """
        engine = self._reserved_read_engine if reserved else self._read_engine
        with self._convert_errors(), engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, *, durable: bool = False, reserved: bool = False) -> Iterator[Connection]:
        """Open a write transaction; an SQLite file allows only one at a time.

        On SQLite, a power cut may undo the last transactions, unless they are `durable`. On
        PostgreSQL, every transaction is durable, and `reserved` transactions have their own
        connection. Raises DatabaseUnavailable.
        """
        if not self.is_sqlite:
            engine = self._reserved_engine if reserved else self.engine
            with self._convert_errors(), engine.begin() as connection:
                yield connection
            return
        with (
            self._convert_errors(),
            self._hold_write_lock(),
            self.engine.connect() as connection,
            self._begin_immediate(connection, durable=durable),
        ):
            yield connection

    def now(self, connection: Connection) -> float:
        """Return the time in seconds since 1970, by the clock of the database.

        On PostgreSQL this is the clock of the server, because the clocks of different machines
        differ. On SQLite it is the clock of the machine, which all processes share.
        """
        if self.is_sqlite:
            return self.clock.time()
        return self.clock.server_time(float(connection.execute(_SELECT_TIME).scalar_one()))

    def to_local_time(self, at: float, now: float) -> float:
        """Convert the time `at` from the database's clock (`now`) to the clock of this machine."""
        return at if self.is_sqlite else at - now + self.clock.time()

    def is_writable(self) -> bool:
        """Return whether the database accepts write transactions; changes nothing."""
        with suppress(DatabaseUnavailable), self.write() as connection:
            if self.is_sqlite:
                return True  # the transaction holds the lock for writing
            return connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "off"
        return False

    def advisory_lock(self, connection: Connection, name: str) -> None:
        """Hold an exclusive lock on `name` until the transaction ends.

        Does nothing on SQLite, which has a single writer anyway.
        """
        if not self.is_sqlite:
            lock = text("SELECT pg_advisory_xact_lock(hashtext(:what))")
            connection.execute(lock, {"what": name})

    def lift_timeouts(self, connection: Connection) -> None:
        """Let this transaction, and each of its statements, take as long as necessary."""
        if not self.is_sqlite:
            for name in TIMEOUTS:
                connection.exec_driver_sql(f"SET LOCAL {name} = 0")

    def is_in_use(self) -> bool:
        """Return whether others, such as a running server, have connections to the database.

        Closes the connections of this object. Waits for connections that are just being closed.
        """
        self.close()
        deadline = time.monotonic() + CLOSING_SECONDS
        while is_in_use := self._has_other_connections():
            if time.monotonic() > deadline:
                break
            self.clock.sleep(LOCK_RETRY_SECONDS)
        self.close()
        return is_in_use

    def _has_other_connections(self) -> bool:
        if self.is_sqlite:
            return sqlite.has_connections(Path(self.engine.url.database or ""))
        with self.read() as connection:
            return bool(connection.execute(_COUNT_OTHER_CONNECTIONS).scalar_one())

    @contextmanager
    def _hold_write_lock(self) -> Iterator[None]:
        if not self._write_lock.acquire(timeout=self.lock_timeout):
            raise DatabaseUnavailable(LOCKED)
        try:
            yield
        finally:
            self._write_lock.release()

    def _begin_immediate(self, connection: Connection, *, durable: bool) -> RootTransaction:
        connection.execution_options(immediate=True, durable=durable)
        deadline = time.monotonic() + self.lock_timeout
        while True:
            try:
                return connection.begin()
            except OperationalError as error:
                if "locked" not in str(error):
                    raise
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(LOCKED) from error
                self.clock.sleep(LOCK_RETRY_SECONDS)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
            self._has_worked = True
        except (DBAPIError, PoolTimeout) as error:
            if not _is_unavailable(error):
                raise
            self._record_failure()
            fault = describe_fault(error, self.engine.url)
            self._log(fault)
            raise DatabaseUnavailable(fault) from error
        except DatabaseUnavailable:
            self._record_failure()
            raise

    def _record_failure(self) -> None:
        self.last_failure_at = self.clock.monotonic()
        self.metrics.count("database_failures")

    def _log(self, fault: str) -> None:
        now = self.clock.monotonic()
        # A fault at the start ends the program with the same sentence.
        is_new = fault != self._logged_fault or now - self._fault_logged_at > FAULT_LOG_SECONDS
        if self._has_worked and is_new:
            self._logged_fault, self._fault_logged_at = fault, now
            logger.error("%s", fault)

    def close(self) -> None:
        """Close all connections; the next transaction opens new ones."""
        self.engine.dispose()
        self._reserved_engine.dispose()


def _is_unavailable(error: DBAPIError | PoolTimeout) -> bool:
    """Return whether the same transaction may succeed later."""
    if isinstance(error, OperationalError | InterfaceError | PoolTimeout):
        return True
    if type(error) is DatabaseError:
        return True  # a damaged file
    return getattr(error.orig, "sqlstate", None) in UNAVAILABLE_SQLSTATES


def _drop_read_only_connections(context: ExceptionContext) -> None:
    """Reconnect after a switchover: the open connections lead to the read-only server."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY_SQLSTATE:
        context.is_disconnect = True


def _connect_args(url: str) -> dict[str, Any]:
    """Return the options of connections to PostgreSQL; those in the URL take precedence.

    Without these timeouts, the client would wait for hours for a host that has disappeared.
    PgBouncer gives a connection to another client after each transaction, so nothing that belongs
    to a connection is used: neither prepared statements nor `options`.
    """
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return {}
    arguments = {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "tcp_user_timeout": TCP_TIMEOUT_MS,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "client_encoding": "utf8",
        "prepare_threshold": None,
    }
    return {name: value for name, value in arguments.items() if name not in address.query}


def _timeout_setter(lock_timeout: float) -> Callable[[Connection], None]:
    """Return a function that sets the timeouts of a transaction; `lock_timeout` is in seconds.

    Without these timeouts, the server would hold the locks of a client that has disappeared.
    """
    values = (math.ceil(lock_timeout * 1000), TRANSACTION_TIMEOUT_MS, TRANSACTION_TIMEOUT_MS)
    timeouts = zip(TIMEOUTS, values, strict=True)
    statement = "; ".join(f"SET LOCAL {name} = {value}" for name, value in timeouts)

    def set_timeouts(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return set_timeouts


def insert_or_ignore(connection: Connection, table: Table) -> Insert:
    """Return an INSERT that skips rows whose key already exists."""
    insert: Insert = dialect_insert(connection.dialect.name, table).on_conflict_do_nothing()
    return insert


def upsert(connection: Connection, table: Table, key: str, row: Mapping[str, object]) -> None:
    """Insert a row, or update the row that has the same key."""
    connection.execute(_upsert_statement(connection.dialect.name, table, key, frozenset(row)), row)


@cache
def _upsert_statement(dialect: str, table: Table, key: str, columns: frozenset[str]) -> Insert:
    insert = dialect_insert(dialect, table)
    changes = {name: insert.excluded[name] for name in columns - {key}}
    statement: Insert = insert.on_conflict_do_update(index_elements=[key], set_=changes)
    return statement


def dialect_insert(dialect: str, table: Table) -> Any:
    """Return an INSERT that supports `ON CONFLICT`. `dialect` is `connection.dialect.name`."""
    # Imported on demand: a dialect takes a tenth of a second to import.
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
