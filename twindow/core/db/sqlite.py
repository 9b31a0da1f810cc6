"""SQLite: private files, and transactions that begin with an explicit BEGIN."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event


def prepare(engine: Engine) -> None:
    """Prepare the file and the connections of an engine."""
    if (name := engine.url.database or ":memory:")[0] != ":":
        _make_private(Path(name))
    event.listen(engine, "connect", _prepare_connection)
    event.listen(engine, "begin", _begin)


def has_connections(path: Path) -> bool:
    """Return whether any process, including this one, has a connection to a database in WAL mode.

    A connection in this mode holds a shared lock until it is closed, whether it is used or not.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
    return False


def _make_private(path: Path) -> None:
    """Create an SQLite database that only its owner can read; existing files get this mode."""
    with suppress(OSError):  # a missing folder is reported when the database is opened
        # SQLite's other files get the same mode. An existing file is not opened: closing it would
        # release the locks of other connections of this process.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    for file in filter(Path.is_file, (path, Path(f"{path}-wal"), Path(f"{path}-shm"))):
        with suppress(OSError):  # the file may belong to another account
            file.chmod(0o600)


def _prepare_connection(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # _begin emits BEGIN, as SQLAlchemy documents
    for pragma in (
        "busy_timeout=1000",  # wait while another process opens or closes the file
        "journal_mode=WAL",
        "foreign_keys=ON",
        "secure_delete=ON",  # overwrite what people delete
        "busy_timeout=0",  # waiting inside SQLite would block all greenlets
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("immediate"):
        level = "FULL" if options["durable"] else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous={level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("immediate") else "BEGIN")
