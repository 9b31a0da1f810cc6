"""Search index rows, written in the transaction that stores the title, message or reply."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, bindparam, cast, delete, func, insert, select

from chat.schema import conversations, search_documents, turns
from core import text_folding
from core.db.database import Database

TITLE, MESSAGE, REPLY = "title", "message", "reply"
# PostgreSQL limits a tsvector to 1 MiB.
MAX_ROW_CHARACTERS = 40_000
MAX_BACKTRACK_CHARACTERS = 1_000
MERGED_PAGES = 100
MERGE_PAUSE_SECONDS = 0.01

Row = Mapping[str, Any]


def make_rows(
    person: str, conversation_id: str, turn_id: str | None, kind: str, text: str
) -> Iterator[Row]:
    """Yield the index rows of a text: one, or several if it is very long."""
    for piece in _split(text):
        yield {
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "kind": kind,
            "index_words": [
                owner_token(person, is_title=kind == TITLE),
                *sorted(text_folding.index_words(piece)),
            ],
        }


def owner_token(person: str, *, is_title: bool) -> str:
    """Return the word that identifies a person as the owner of index rows.

    Rows of titles have a different word than rows of messages and replies. These words begin with
    "=", which never occurs in an indexed word, so no text can contain them. A query for this word
    lets the index select the person's rows, however many rows other people have.
    """
    return ("=t" if is_title else "=m") + hashlib.sha256(person.encode()).hexdigest()[:24]


def insert_rows(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert index rows."""
    row_list = list(rows)
    if not row_list:
        return
    if connection.dialect.name == "postgresql":
        words = func.array_to_tsvector(cast(bindparam("index_words"), ARRAY(Text)))
        connection.execute(insert(search_documents).values(words=words), row_list)
    else:
        values = [{**row, "words": " ".join(row["index_words"])} for row in row_list]
        connection.execute(insert(search_documents), values)


def index_message(
    connection: Connection, person: str, conversation_id: str, turn_id: str, content: str
) -> None:
    """Add a message to the index."""
    insert_rows(connection, make_rows(person, conversation_id, turn_id, MESSAGE, content))


def index_reply(connection: Connection, turn_id: str, text: str) -> None:
    """Add a reply to the index, unless it is empty."""
    query = select(conversations.c.person, conversations.c.id).join_from(turns, conversations)
    row = connection.execute(query.where(turns.c.id == turn_id)).first()
    if row and text:
        insert_rows(connection, make_rows(row.person, row.id, turn_id, REPLY, text))


def index_title(connection: Connection, person: str, conversation_id: str, title: str) -> None:
    """Add the title of a conversation to the index, in place of its previous title."""
    condition = (search_documents.c.conversation_id == conversation_id) & (
        search_documents.c.kind == TITLE
    )
    connection.execute(delete(search_documents).where(condition))
    insert_rows(connection, make_rows(person, conversation_id, None, TITLE, title))


def merge(database: Database) -> None:
    """Remove the words of deleted rows from the files of the index.

    FTS5 only marks deleted words until it merges its segments (https://sqlite.org/fts5.html, 6.7).
    PostgreSQL needs nothing: vacuum removes deleted rows.
    """
    if not database.is_sqlite:
        return
    pages = -MERGED_PAGES  # a negative number begins a merge of everything
    while True:
        with database.write() as connection:
            query = "SELECT total_changes()"
            before = connection.exec_driver_sql(query).scalar_one()
            statement = "INSERT INTO search_documents_fts (search_documents_fts, rank) VALUES"
            connection.exec_driver_sql(f"{statement} ('merge', {pages})")
            changes = connection.exec_driver_sql(query).scalar_one() - before
        if changes < 2:
            return
        pages = MERGED_PAGES
        database.clock.sleep(MERGE_PAUSE_SECONDS)


def _split(text: str) -> Iterator[str]:
    while len(text) > MAX_ROW_CHARACTERS:
        blank_at = max(
            text.rfind(blank, MAX_ROW_CHARACTERS - MAX_BACKTRACK_CHARACTERS, MAX_ROW_CHARACTERS)
            for blank in " \n"
        )
        end = blank_at if blank_at > 0 else MAX_ROW_CHARACTERS
        yield text[:end]
        time.sleep(0)  # let other threads run
        text = text[end:]
    yield text
