"""Checkpoints: the database file is complete without its `-wal` file while nothing is written."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from twindow.core.db.checkpoints import Checkpoints
from twindow.core.db.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    db = Database(f"sqlite:///{path}")
    with db.write() as connection:
        connection.execute(text("CREATE TABLE things (name TEXT)"))
        connection.execute(text("INSERT INTO things VALUES ('first')"))
    yield db
    db.close()


def copied_things(path: Path) -> list[str]:
    """Return the rows in a copy of the database file, without its `-wal` file."""
    copy = shutil.copy(path, path.with_name("copy.db"))
    with closing(sqlite3.connect(copy)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            return []
        return [name for (name,) in connection.execute("SELECT name FROM things")]


def test_wal_file_of_an_idle_database_is_copied_into_the_database(db: Database, path: Path):
    checkpoints = Checkpoints(db)

    checkpoints.check()
    assert copied_things(path) == []  # the first check only records the state of the file
    checkpoints.check()
    assert copied_things(path) == ["first"]
    with db.write() as connection:
        connection.execute(text("INSERT INTO things VALUES ('second')"))
    checkpoints.check()
    checkpoints.check()
    assert copied_things(path) == ["first", "second"]


def test_changes_held_back_by_a_reader_are_copied_into_the_database_later(db: Database, path: Path):
    checkpoints = Checkpoints(db)
    with db.read() as reader:
        reader.execute(text("SELECT name FROM things"))
        with db.write() as connection:
            connection.execute(text("INSERT INTO things VALUES ('second')"))
        checkpoints.check()
        checkpoints.check()
    checkpoints.check()

    assert copied_things(path) == ["first", "second"]


def test_closed_database_has_no_wal_file(db: Database, path: Path):
    Checkpoints(db).close()

    assert [file.name for file in path.parent.iterdir()] == ["test.db"]
    assert copied_things(path) == ["first"]


def test_deleted_database_is_not_created_again(db: Database, path: Path):
    checkpoints = Checkpoints(db)
    for file in path.parent.iterdir():
        file.unlink()
    checkpoints.check()
    checkpoints.close()

    assert list(path.parent.iterdir()) == []
