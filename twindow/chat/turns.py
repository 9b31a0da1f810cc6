"""Turns: a person's messages with their replies, as they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from twindow.chat.log import Batch, Log, Reply, build_reply, decode
from twindow.chat.schema import conversations, entries, turns
from twindow.core.db.database import Database

TURNS_PER_QUERY = 20

_COLUMNS = ("id", "conversation_id", "position", "content", "idempotency_key", "created_at")


@dataclass(frozen=True, slots=True)
class Turn:
    """Message of a person. `position` counts from 1 within the conversation.

    `idempotency_key` is sent to the service. A resend has the key of the turn that it repeats; any
    other turn has its own id as the key.
    """

    id: str
    conversation_id: str
    position: int
    content: str
    idempotency_key: str
    created_at: float
    twin_id: str
    twin_name: str


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with its stored reply: `batch` has the final entry, or is None without one.

    `html` is the HTML of the reply, made by the renderer `html_version`; both may be None.
    """

    turn: Turn
    batch: Batch | None
    html: str | None
    html_version: int | None


class Turns:
    """Repository of turns, except for creation."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the turn, or None if it is missing, deleted or belongs to another person."""
        owned_by_person = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        with self.database.read() as connection:
            return read_turn(connection, (turns.c.id == turn_id) & owned_by_person)

    def list_running(self, person: str) -> Sequence[str]:
        """Return the ids of the person's turns whose replies are running."""
        is_running = (conversations.c.person == person) & (turns.c.worker > "")
        with self.database.read() as connection:
            return connection.scalars(
                select(turns.c.id).join(conversations).where(is_running)
            ).all()

    def list_for_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int
    ) -> Sequence[StoredTurn]:
        """Return the newest `limit` turns before a position, the oldest of them first."""
        query = _select_stored(conversation_id)
        if before is not None:
            query = query.where(turns.c.position < before)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(turns.c.position.desc()).limit(limit)).all()
        return [_stored_turn(row) for row in reversed(rows)]


def iter_turns(turns: Turns, log: Log, conversation_id: str) -> Iterator[tuple[Turn, Reply]]:
    """Yield every turn with its reply, oldest first, in queries of `TURNS_PER_QUERY` turns."""
    last_position = 0
    while True:
        fetched_turns = turns.list_for_conversation(
            conversation_id, before=last_position + TURNS_PER_QUERY + 1, limit=TURNS_PER_QUERY
        )
        new_turns = [stored for stored in fetched_turns if stored.turn.position > last_position]
        if not new_turns:
            return
        logs = log.read_all([stored.turn.id for stored in new_turns if not stored.batch])
        for stored in new_turns:
            yield stored.turn, build_reply(stored.batch or logs[stored.turn.id])
        last_position = new_turns[-1].turn.position


def read_turn(connection: Connection, condition: ColumnElement[bool]) -> Turn | None:
    """Return the turn that fulfils a condition on its row, or on that of its conversation."""
    row = connection.execute(_select_turns().where(condition)).first()
    return Turn(**row._mapping) if row else None


def read_newest_and_submitted(
    connection: Connection, conversation_id: str, submission: str
) -> tuple[StoredTurn | None, Turn | None]:
    """Return the newest turn of a conversation, and the turn of an earlier submission."""
    # Two queries by index: with OR, SQLite would read the whole conversation.
    newest = (
        select(turns.c.id)
        .where(turns.c.conversation_id == conversation_id)
        .order_by(turns.c.position.desc())
        .limit(1)
        .subquery()
    )
    earlier = select(turns.c.id).where(turns.c.submission == submission)
    wanted = turns.c.id.in_(select(newest.c.id).union_all(earlier))
    query = _select_stored(conversation_id).add_columns(turns.c.submission).where(wanted)
    rows = connection.execute(query.order_by(turns.c.position)).all()
    existing = (_stored_turn(row[:-1]).turn for row in rows if row.submission == submission)
    return (_stored_turn(rows[-1][:-1]) if rows else None), next(existing, None)


def _select_stored(conversation_id: str) -> Select[Any]:
    """Return the query of the turns of a conversation, with their final entries."""
    is_end = (entries.c.turn_id == turns.c.id) & (entries.c.kind == "ended")
    query = _select_turns().add_columns(*entries.c["seq", "data", "html", "html_version"])
    return query.outerjoin(entries, is_end).where(turns.c.conversation_id == conversation_id)


def _stored_turn(row: Sequence[Any]) -> StoredTurn:
    """Convert a row of `_select_stored`."""
    *turn_values, seq, data, html, html_version = row
    batch = None if data is None else Batch(0, seq, (decode(data),))
    return StoredTurn(Turn(*turn_values), batch, html, html_version)


def _select_turns() -> Select[Any]:
    """Return the query of all turns."""
    columns = *turns.c[_COLUMNS], *conversations.c["twin_id", "twin_name"]
    return select(*columns).join(conversations)
