"""Turns as rows of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from chat.conversations import Conversation, ConversationNotFound
from chat.limits import SendingStatus
from chat.log import Batch
from chat.log.entries import decode
from chat.schema import conversations, entries, turns
from core.keyed_hash import keyed_hash

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
class AddedTurn:
    """A turn, and the state of its conversation before the turn was added.

    `is_new` is False for a repeated form submission; the other values are set for new turns only.
    `previous_turn_id` is the id of the turn before the new one. `was_newest` tells whether the
    conversation was the person's newest before the turn was added.
    """

    conversation: Conversation
    turn: Turn
    is_new: bool
    previous_turn_id: str | None = None
    was_newest: bool = False
    sending_status: SendingStatus | None = None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with its stored reply: `batch` has the final entry, or is None without one.

    `html` is the HTML of the reply, made by the renderer `html_version`; both may be None.
    """

    turn: Turn
    batch: Batch | None
    html: str | None
    html_version: int | None


def fingerprint(
    secret_key: str, person: str, target_id: str, idempotency_key: str, content: str
) -> str:
    """Return an HMAC of a form submission. Repeated submissions have the same HMAC."""
    return keyed_hash(secret_key, "turn", person, target_id, idempotency_key, content)


def find_existing(connection: Connection, fingerprint: str) -> AddedTurn | None:
    """Return the turn of an earlier submission of the same form. Raises ConversationNotFound."""
    turn = turn_from_row(
        connection.execute(select_turns().where(turns.c.submission == fingerprint)).first()
    )
    if turn is None:
        return None
    condition = conversations.c.id == turn.conversation_id
    row = connection.execute(select(conversations).where(condition)).one()
    if row.deleted_at is not None:
        raise ConversationNotFound
    return AddedTurn(Conversation(**row._mapping), turn, is_new=False)


def insert_turn(connection: Connection, turn: Turn, **values: object) -> None:
    """Insert a turn. `values` has the columns that are not attributes of `Turn`."""
    row = {name: getattr(turn, name) for name in _COLUMNS}
    connection.execute(insert(turns).values(row | values))


def read_newest(
    connection: Connection, conversation_id: str, *, before: int | None = None, limit: int = 1
) -> list[StoredTurn]:
    """Return the newest turns of a conversation before a position, the oldest of them first."""
    is_end = (entries.c.turn_id == turns.c.id) & (entries.c.kind == "ended")
    query = select_turns().add_columns(*entries.c["seq", "data", "html", "html_version"])
    query = query.outerjoin(entries, is_end).where(turns.c.conversation_id == conversation_id)
    if before is not None:
        query = query.where(turns.c.position < before)
    rows = connection.execute(query.order_by(turns.c.position.desc()).limit(limit)).all()
    return [
        StoredTurn(
            Turn(*turn_values),
            None if data is None else Batch(0, seq, (decode(data),)),
            html,
            html_version,
        )
        for *turn_values, seq, data, html, html_version in reversed(rows)
    ]


def find_resent_turn(
    connection: Connection, conversation_id: str, turn_id: str, content: str
) -> Turn | None:
    """Return the turn to send again if it belongs to the conversation and has this message."""
    if not turn_id:
        return None
    condition = (turns.c.id == turn_id) & (turns.c.conversation_id == conversation_id)
    turn = turn_from_row(connection.execute(select_turns().where(condition)).first())
    return turn if turn and turn.content == content else None


def select_turns() -> Select[Any]:
    """Return the query of all turns."""
    return select(
        *turns.c[_COLUMNS],
        *conversations.c["twin_id", "twin_name"],
    ).join(conversations)


def turn_from_row(row: Row[tuple[object, ...]] | None) -> Turn | None:
    """Convert a row of `select_turns`."""
    return Turn(**row._mapping) if row else None
