"""The rows by which titles, messages and replies are found; written with what they stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, bindparam, cast, delete, func, insert, select

from chat.schema import conversations, passages, turns
from core import text_folding

TITLE, SAID, REPLY = "title", "said", "reply"
# PostgreSQL takes a mebibyte of words in one row at most.
PIECE = 40_000
BLANKS = 1_000

Row = Mapping[str, Any]


def rows(
    person: str, conversation_id: str, turn_id: str | None, kind: str, text: str
) -> Iterator[Row]:
    """Make the rows by which a text is found: one, or more when it is very long."""
    for piece in _pieces(text):
        yield {
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "kind": kind,
            "list": [owner(person, title=kind == TITLE), *sorted(text_folding.words(piece))],
        }


def owner(person: str, *, title: bool) -> str:
    """Return the word that stands in all titles, or all else, of a person: nobody can write it.

    With it the index itself finds what is theirs, however much others have said.
    """
    return ("=t" if title else "=m") + hashlib.sha256(person.encode()).hexdigest()[:24]


def add(connection: Connection, new: Iterable[Row]) -> None:
    """Add rows."""
    added = list(new)
    if not added:
        return
    if connection.dialect.name == "postgresql":
        words = func.array_to_tsvector(cast(bindparam("list"), ARRAY(Text)))
        connection.execute(insert(passages).values(words=words), added)
    else:
        joined = [{**row, "words": " ".join(row["list"])} for row in added]
        connection.execute(insert(passages), joined)


def add_said(
    connection: Connection, person: str, conversation_id: str, turn_id: str, said: str
) -> None:
    """Let what was said be found."""
    add(connection, rows(person, conversation_id, turn_id, SAID, said))


def add_reply(connection: Connection, turn_id: str, text: str) -> None:
    """Let a reply be found."""
    query = select(conversations.c.person, conversations.c.id).join_from(turns, conversations)
    found = connection.execute(query.where(turns.c.id == turn_id)).first()
    if found and text:
        add(connection, rows(found.person, found.id, turn_id, REPLY, text))


def set_title(connection: Connection, person: str, conversation_id: str, title: str) -> None:
    """Let a conversation be found by this title, and by none that it had before."""
    old = (passages.c.conversation_id == conversation_id) & (passages.c.kind == TITLE)
    connection.execute(delete(passages).where(old))
    add(connection, rows(person, conversation_id, None, TITLE, title))


def _pieces(text: str) -> Iterator[str]:
    while len(text) > PIECE:
        end = max(text.rfind(blank, PIECE - BLANKS, PIECE) for blank in " \n")
        cut = end if end > 0 else PIECE
        yield text[:cut]
        text = text[cut:]
    yield text
