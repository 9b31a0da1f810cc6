"""Kinds of databases, and how durably SQLite commits."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, event

from twindow.core.db.database import Database

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
# Only PostgreSQL can be shared by machines with different clocks.
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

# Values of PRAGMA synchronous. With `FULL`, a commit returns only when the data is on the disk.
NORMAL, FULL = 1, 2


def record_commit_levels(database: Database) -> list[int]:
    """Return a list that grows with the level of each commit of an SQLite database."""
    levels: list[int] = []

    def record_level(connection: Connection) -> None:
        levels.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    event.listen(database.engine, "commit", record_level)
    return levels
