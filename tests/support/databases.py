"""Kinds of databases, and how durably SQLite commits."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, event

from twindow.core.db.database import Database
from twindow.core.db.metadata import metadata

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


def schema_difference(database: Database, version_table: str, *, is_service: bool) -> list[Any]:
    """Return how the tables of the portal, or of the service, differ from those in the code."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_compared(_item: object, name: str, kind: str, *_: object) -> bool:
        return kind != "table" or name.startswith("service_") == is_service

    options = {
        "version_table": version_table,
        "compare_type": True,
        "include_object": is_compared,
    }
    with database.read() as connection:
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
