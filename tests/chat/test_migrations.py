"""The migration that adds the search index also indexes existing conversations."""

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
    """Return the URL of a database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/twindow.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.create_database(template="template0")


def test_messages_from_before_the_search_migration_are_found(empty_url: str, tmp_path: Path):
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
    """Copy the migrations except the newest one, and return the path of the copy."""
    return copytree(
        MIGRATIONS_DIR, tmp_path / "migrations", ignore=ignore_patterns(f"{newest}_*", "__py*")
    )
