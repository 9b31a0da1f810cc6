"""INSERT statements with ON CONFLICT, for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Table


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
