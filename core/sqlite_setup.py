"""Set-up of SQLite files, connections and transactions."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection


def make_private(path: Path) -> None:
    """Create an SQLite database that only its owner can read; existing files get this mode."""
    with suppress(OSError):  # a missing folder is reported when the database is opened
        os.close(os.open(path, os.O_CREAT, 0o600))  # SQLite creates the others with this mode
    for file in filter(Path.is_file, (path, Path(f"{path}-wal"), Path(f"{path}-shm"))):
        with suppress(OSError):  # the file may belong to another account
            file.chmod(0o600)


def prepare(connection: Any, _record: Any) -> None:
    """Set the modes of a new connection."""
    connection.isolation_level = None  # `begin` emits BEGIN, as SQLAlchemy documents
    for pragma in (
        "busy_timeout=1000",  # another process may be opening or closing the file
        "journal_mode=WAL",
        "foreign_keys=ON",
        "busy_timeout=0",  # waiting inside SQLite would block all greenlets
    ):
        connection.execute(f"PRAGMA {pragma}")


def begin(connection: Connection) -> None:
    """Begin a transaction, for writing if the option `immediate` is set."""
    options = connection.get_execution_options()
    if options.get("immediate"):
        level = "FULL" if options["durable"] else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous={level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("immediate") else "BEGIN")
