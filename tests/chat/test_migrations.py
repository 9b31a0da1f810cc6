"""Migrations convert what earlier revisions have stored."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from sqlalchemy import select, text, update

from chat.log import store
from chat.log.entries import Batch, build_reply
from chat.quota import Quota
from chat.schema import entries, turns
from chat.search.search import Search
from core.database import Database
from core.migrations import migrate
from rendering import render_plain
from tests.support.history import insert_conversation
from tests.support.postgres import Postgres
from web.container import MIGRATIONS_DIR
from web.html_cache import HtmlCache
from web.i18n import english_end_message
from web.i18n.service_messages import MESSAGES

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
    migrate(database, before("0007", tmp_path), "alembic_version")
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


# Reply ends as earlier revisions stored them, each with the message that is shown for it.
OLD_ENDS = [
    ({"state": "stopped", "sentence": "You stopped this reply."}, "Stopped."),
    (
        {
            "state": "failed",
            "sentence": "The service cannot be reached. Your message was not sent.",
        },
        "The twin service can't be reached. Your message wasn't sent.",
    ),
    (
        {
            "state": "interrupted",
            "sentence": "The reply is too long and was cut off here. "
            "Its first 1,048,576 characters are kept.",
            "perhaps_received": True,
        },
        "The reply was too long and ends here. The first 1,048,576 characters have been saved.",
    ),
    (
        {
            "state": "failed",
            "sentence": "The service did not accept the message: Two\nlines. "
            "Your message was not sent.",
        },
        "The twin service didn't accept the message: Two\nlines. Your message wasn't sent.",
    ),
    (
        {"state": "failed", "sentence": "Nobody knows it.", "perhaps_received": True},
        "Nobody knows it.",
    ),
    ({"state": "complete", "text": "Hi \u00e9"}, ""),
]


def test_migration_preserves_how_each_stored_reply_ended(empty_url: str, tmp_path: Path):
    database = Database(empty_url)
    migrate(database, before("0008", tmp_path), "alembic_version")
    insert_conversation(database, "alice", len(OLD_ENDS))
    with database.write() as connection:
        turn_ids = list(connection.scalars(select(turns.c.id).order_by(turns.c.position)))
        for turn_id, (end, _) in zip(turn_ids, OLD_ENDS, strict=True):
            data = json.dumps({"type": "ended", "html": "<p>Hi</p>", **end}).encode()
            connection.execute(
                update(entries).where(entries.c.turn_id == turn_id).values(data=data)
            )

    migrate(database, MIGRATIONS_DIR, "alembic_version")

    with database.read() as connection:
        ends = store.read_ends(connection, turn_ids)
    replies = [build_reply(Batch(0, 1, (ends[turn_id],))) for turn_id in turn_ids]
    assert [english_end_message(reply) for reply in replies] == [said for _, said in OLD_ENDS]
    cached = HtmlCache(database, render_plain).find(turn_ids).values()
    assert {entry.html for entry in cached} == {"<p>Hi</p>"}
    assert replies[-1].text == "Hi \u00e9"
    database.close()


def test_every_stored_reply_end_sentence_is_converted_to_a_known_code():
    migration = importlib.import_module("migrations.versions.0008_codes_of_reply_ends")

    wrong = [
        sentence
        for sentence, code in migration.CODES.items()
        if code not in MESSAGES or migration.code_of(sentence) != (code, {})
    ]
    assert wrong == []


def test_migrated_turns_use_as_much_of_the_quota_as_before(empty_url: str, tmp_path: Path):
    database = Database(empty_url)
    migrate(database, before("0010", tmp_path), "alembic_version")
    insert_conversation(database, "alice", 4)
    with database.write() as connection:
        connection.execute(text("UPDATE turns SET charged = (1 = 0) WHERE position = 4"))
    migrate(database, MIGRATIONS_DIR, "alembic_version")

    quota = Quota(database, "key", limit=500, share=1)
    assert quota.remaining().remaining == 500 - 2 - 1 - 1
    database.close()


def before(number: str, tmp_path: Path) -> Path:
    """Copy the migrations numbered below `number`, and return the path of the copy."""
    later = [
        path.name for path in (MIGRATIONS_DIR / "versions").glob("0*.py") if path.name >= number
    ]
    return copytree(
        MIGRATIONS_DIR, tmp_path / "migrations", ignore=ignore_patterns(*later, "__py*")
    )
