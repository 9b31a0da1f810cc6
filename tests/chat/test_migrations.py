"""What was said before there was a search is found by it."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from chat.search.search import Search
from core.database import Database, migrate
from tests.support.history import insert_conversation
from tests.support.postgres import Postgres
from web.container import MIGRATIONS_DIR

LENGTH = 230


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/twindow.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.create_database(template="template0")


def test_what_was_said_before_is_found(empty_url: str, tmp_path: Path):
    database = Database(empty_url)
    migrate(database, without(tmp_path, "0007"), "alembic_version")
    insert_conversation(database, "alice", LENGTH)
    insert_conversation(database, "bob", 3)
    migrate(database, MIGRATIONS_DIR, "alembic_version")
    search = Search(database)

    [found] = search.find("alice", f"answer {LENGTH:05}").items
    assert found.hits[0].position == LENGTH
    assert [hit.position for hit in search.find("alice", "question 00001").items[0].hits] == [1]
    assert search.find("alice", "talk 230").items[0].title[-1].is_hit
    assert search.find("bob", "230").items == ()
    newest = search.find("alice", "answer").items[0].hits
    assert [hit.position for hit in newest] == list(range(LENGTH, LENGTH - 20, -1))
    database.close()


def without(tmp_path: Path, newest: str) -> Path:
    """Copy the migrations as they were before one of them."""
    return copytree(
        MIGRATIONS_DIR, tmp_path / "migrations", ignore=ignore_patterns(f"{newest}_*", "__py*")
    )
