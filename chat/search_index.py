"""The rows by which titles, messages and replies are found; written with what they stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, bindparam, cast, delete, func, insert, select

from chat.schema import conversations, passages, turns
from core import text_folding

TITLE, MESSAGE, REPLY = "title", "said", "reply"
# PostgreSQL takes a mebibyte of words in one row at most.
MAX_ROW_CHARS = 40_000
MAX_BACKTRACK_CHARS = 1_000

Row = Mapping[str, Any]


def make_rows(
    person: str, conversation_id: str, turn_id: str | None, kind: str, text: str
) -> Iterator[Row]:
    """Make the rows by which a text is found: one, or more when it is very long."""
    for piece in _split(text):
        yield {
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "kind": kind,
            "list": [
                owner_token(person, title=kind == TITLE),
                *sorted(text_folding.index_words(piece)),
            ],
        }


def owner_token(person: str, *, title: bool) -> str:
    """Return the word that stands in all titles, or all else, of a person: nobody can write it.

    With it the index itself finds what is theirs, however much others have said.
    """
    return ("=t" if title else "=m") + hashlib.sha256(person.encode()).hexdigest()[:24]


def insert_rows(connection: Connection, rows: Iterable[Row]) -> None:
    """Add rows."""
    row_list = list(rows)
    if not row_list:
        return
    if connection.dialect.name == "postgresql":
        words = func.array_to_tsvector(cast(bindparam("list"), ARRAY(Text)))
        connection.execute(insert(passages).values(words=words), row_list)
    else:
        values = [{**row, "words": " ".join(row["list"])} for row in row_list]
        connection.execute(insert(passages), values)


def index_message(
    connection: Connection, person: str, conversation_id: str, turn_id: str, content: str
) -> None:
    """Let what was said be found."""
    insert_rows(connection, make_rows(person, conversation_id, turn_id, MESSAGE, content))


def index_reply(connection: Connection, turn_id: str, text: str) -> None:
    """Let a reply be found."""
    query = select(conversations.c.person, conversations.c.id).join_from(turns, conversations)
    row = connection.execute(query.where(turns.c.id == turn_id)).first()
    if row and text:
        insert_rows(connection, make_rows(row.person, row.id, turn_id, REPLY, text))


def index_title(connection: Connection, person: str, conversation_id: str, title: str) -> None:
    """Let a conversation be found by this title, and by none that it had before."""
    condition = (passages.c.conversation_id == conversation_id) & (passages.c.kind == TITLE)
    connection.execute(delete(passages).where(condition))
    insert_rows(connection, make_rows(person, conversation_id, None, TITLE, title))


def _split(text: str) -> Iterator[str]:
    while len(text) > MAX_ROW_CHARS:
        blank_at = max(
            text.rfind(blank, MAX_ROW_CHARS - MAX_BACKTRACK_CHARS, MAX_ROW_CHARS) for blank in " \n"
        )
        end = blank_at if blank_at > 0 else MAX_ROW_CHARS
        yield text[:end]
        text = text[end:]
    yield text
