"""Short transactions on SQLite or PostgreSQL."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, RootTransaction, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.db import postgresql, sqlite
from twindow.core.db.errors import DatabaseUnavailable, describe_error, is_unavailable
from twindow.core.metrics import NO_METRICS, Metrics

logger = logging.getLogger(__name__)

# Interval between attempts to get the lock of an SQLite file. SQLite's own busy wait would block
# every greenlet of the worker.
LOCK_RETRY_SECONDS = 0.01

# Connections to PostgreSQL for work that must not wait for slow requests.
RESERVED_CONNECTIONS = 1

LOCK_TIMEOUT_SECONDS = 2.5
# The log repeats an error after this time at the earliest.
REPEATED_LOG_SECONDS = 60.0
LOCKED = "The database is locked by another program."

# A connection that a process has closed is listed for a moment.
CLOSING_SECONDS = 2.0

_SELECT_TIME = text("SELECT extract(epoch FROM clock_timestamp())")


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
        options: dict[str, Any] = {"hide_parameters": True, "pool_pre_ping": True}
        if not url.startswith("sqlite"):
            options["connect_args"] = postgresql.connect_args(url)
            options["pool_timeout"] = lock_timeout
        self.engine = create_engine(url, **options)
        self._write_lock = threading.Lock()
        # Monotonic time of the last failed transaction.
        self.last_failure_at = -math.inf
        self._has_worked = False
        self._logged_error = ""
        self._logged_at = -math.inf
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
                postgresql.prepare(engine, lock_timeout)

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
            postgresql.lift_timeouts(connection)

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
            return postgresql.has_other_connections(connection)

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
            if not is_unavailable(error):
                raise
            self._record_failure()
            description = describe_error(error, self.engine.url)
            self._log(description)
            raise DatabaseUnavailable(description) from error
        except DatabaseUnavailable:
            self._record_failure()
            raise

    def _record_failure(self) -> None:
        self.last_failure_at = self.clock.monotonic()
        self.metrics.count("database_failures")

    def _log(self, description: str) -> None:
        now = self.clock.monotonic()
        is_new = description != self._logged_error or now - self._logged_at > REPEATED_LOG_SECONDS
        # An error at the start ends the program with the same sentence.
        if self._has_worked and is_new:
            self._logged_error, self._logged_at = description, now
            logger.error("%s", description)

    def close(self) -> None:
        """Close all connections; the next transaction opens new ones."""
        self.engine.dispose()
        self._reserved_engine.dispose()
