"""Turns: a person's messages with their replies, as they are stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, func, select, true

from twindow.chat.log import Batch, Log, Reply, build_reply, decode, decode_start
from twindow.chat.schema import conversations, entries, turns
from twindow.core.db.database import Database

TURNS_PER_QUERY = 20
# Of a message in characters, of a reply in bytes of its entry.
NEWEST_TEXT_LENGTH = 1_000


@dataclass(frozen=True, slots=True)
class Turn:
    """Message of a person: a version of what is said in its slot.

    `position` counts the turns of the conversation from 1, in the order of their addition; `slot`
    counts its places, and `version` those that share a slot. `follows` is the position of the turn
    before, as the person saw it; 0 for the first slot.

    `idempotency_key` is sent to the service. A resend has the key of the turn that it repeats; any
    other turn has its own id as the key.
    """

    id: str
    conversation_id: str
    position: int
    slot: int
    version: int
    follows: int
    content: str
    idempotency_key: str
    created_at: float
    twin_id: str
    twin_name: str
    version_count: int = 1
    # Ids of the versions before and after this one, and of the newest.
    previous_id: str | None = None
    next_id: str | None = None
    newest_id: str = ""


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

    def list_newest_texts(self, conversation_ids: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """Return the beginnings of the newest message and its reply, by id of the conversation."""
        query = _SELECT_NEWEST_TEXTS.where(conversations.c.id.in_(conversation_ids))
        with self.database.read() as connection:
            rows = connection.execute(query)
            return {id_: (message, decode_start(data or b"")) for id_, message, data in rows}

    def list_answered(self, person: str, turn: Turn, *, limit: int) -> Sequence[StoredTurn]:
        """Return the newest `limit` versions of a turn and turns with its message.

        Each has a reply that has ended, and is the person's own.
        """
        is_version = (turns.c.conversation_id == turn.conversation_id) & (turns.c.slot == turn.slot)
        is_wanted = is_version | (turns.c.content == turn.content)
        is_owned = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        query = _SELECT_STORED.where(is_wanted, is_owned, entries.c.turn_id.is_not(None))
        query = query.order_by(turns.c.created_at.desc())
        with self.database.read() as connection:
            rows = connection.execute(query.limit(limit)).all()
        return [_stored_turn(row) for row in reversed(rows)]

    def list_running(self, person: str) -> Sequence[str]:
        """Return the ids of the person's turns whose replies are running."""
        is_running = (conversations.c.person == person) & (turns.c.worker > "")
        with self.database.read() as connection:
            return connection.scalars(
                select(turns.c.id).join(conversations).where(is_running)
            ).all()

    def list_for_conversation(
        self,
        conversation_id: str,
        *,
        before: int | None = None,
        chosen: Turn | None = None,
        limit: int,
    ) -> Sequence[StoredTurn]:
        """Return the turns in the newest `limit` slots before a slot, the oldest of them first.

        Of each slot, this is the version that the next turn follows, or the newest version; in the
        slot of `chosen`, it is that one.
        """
        condition = IS_SHOWN
        if chosen:
            is_version = (turns.c.slot == chosen.slot) & (turns.c.version == chosen.version)
            is_current = turns.c.id == _id_of_version(_other.c.version == turns.c.version)
            condition &= turns.c.slot != chosen.slot
            condition |= is_version & is_current
        query = _SELECT_STORED.where(turns.c.conversation_id == conversation_id, condition)
        if before is not None:
            query = query.where(turns.c.slot < before)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(turns.c.slot.desc()).limit(limit)).all()
        return [_stored_turn(row) for row in reversed(rows)]


def iter_turns(
    log: Log, conversation_id: str, *, has_all_versions: bool = False
) -> Iterator[tuple[Turn, Reply]]:
    """Yield the turns that are shown, or all, with their replies, oldest first."""
    query = _SELECT_STORED.where(turns.c.conversation_id == conversation_id)
    query = query.order_by(turns.c.position).limit(TURNS_PER_QUERY)
    if not has_all_versions:
        query = query.where(IS_SHOWN)
    position = 0
    while True:
        with log.database.read() as connection:
            rows = connection.execute(query.where(turns.c.position > position)).all()
        if not rows:
            return
        new_turns = [_stored_turn(row) for row in rows]
        logs = log.read_all([stored.turn.id for stored in new_turns if not stored.batch])
        for stored in new_turns:
            yield stored.turn, build_reply(stored.batch or logs[stored.turn.id])
        position = new_turns[-1].turn.position


def read_turn(connection: Connection, condition: ColumnElement[bool]) -> Turn | None:
    """Return the turn that fulfils a condition on its row, or on that of its conversation."""
    row = connection.execute(_SELECT_TURNS.where(condition)).first()
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
    query = _SELECT_STORED.add_columns(turns.c.submission).where(wanted)
    query = query.where(turns.c.conversation_id == conversation_id)
    rows = connection.execute(query.order_by(turns.c.position)).all()
    existing = (_stored_turn(row[:-1]).turn for row in rows if row.submission == submission)
    return (_stored_turn(rows[-1][:-1]) if rows else None), next(existing, None)


def _stored_turn(row: Sequence[Any]) -> StoredTurn:
    """Convert a row of `_SELECT_STORED`."""
    *turn_values, seq, data, html, html_version = row
    batch = None if data is None else Batch(0, seq, (decode(data),))
    return StoredTurn(Turn(*turn_values), batch, html, html_version)


_other = turns.alias("other")
_IS_NEIGHBOUR = _other.c.conversation_id == turns.c.conversation_id
_IS_VERSION = _IS_NEIGHBOUR & (_other.c.slot == turns.c.slot)


def _id_of_version(condition: ColumnElement[bool]) -> ScalarSelect[str]:
    """Return the query of the newest version of a turn that fulfils a condition."""
    newest_first = _other.c.version.desc(), _other.c.position.desc()
    query = select(_other.c.id).where(_IS_VERSION, condition).order_by(*newest_first)
    return query.limit(1).scalar_subquery()


_NEWEST_POSITION = select(func.max(_other.c.position)).where(_IS_NEIGHBOUR).scalar_subquery()
# All turns of a slot follow the same one. With EXISTS, PostgreSQL would read the whole table.
_IS_NEXT = _IS_NEIGHBOUR & (_other.c.slot == turns.c.slot + 1)
_FOLLOWED_POSITION = select(_other.c.follows).where(_IS_NEXT).limit(1).scalar_subquery()
# Whether a turn is the newest of its conversation, or the next slot follows it.
IS_SHOWN = (turns.c.position == _NEWEST_POSITION) | (turns.c.position == _FOLLOWED_POSITION)
# These queries are built once, because building a query takes longer than executing it.
_SELECT_TURNS = select(
    *turns.c["id", "conversation_id", "position", "slot", "version", "follows", "content"],
    *turns.c["idempotency_key", "created_at"],
    *conversations.c["twin_id", "twin_name"],
    select(func.max(_other.c.version)).where(_IS_VERSION).scalar_subquery().label("version_count"),
    _id_of_version(_other.c.version == turns.c.version - 1).label("previous_id"),
    _id_of_version(_other.c.version == turns.c.version + 1).label("next_id"),
    _id_of_version(true()).label("newest_id"),
).join(conversations)
_IS_END = (entries.c.turn_id == turns.c.id) & (entries.c.kind == "ended")
# All turns with their final entries.
_SELECT_STORED = _SELECT_TURNS.add_columns(
    *entries.c["seq", "data", "html", "html_version"]
).outerjoin(entries, _IS_END)
_OF_CONVERSATION = _other.c.conversation_id == conversations.c.id
_NEWEST = select(func.max(_other.c.position)).where(_OF_CONVERSATION).scalar_subquery()
_IS_NEWEST = (turns.c.conversation_id == conversations.c.id) & (turns.c.position == _NEWEST)
_SELECT_NEWEST_TEXTS = select(
    conversations.c.id,
    func.substr(turns.c.content, 1, NEWEST_TEXT_LENGTH),
    func.substr(entries.c.data, 1, NEWEST_TEXT_LENGTH),
).select_from(conversations.join(turns, _IS_NEWEST).outerjoin(entries, _IS_END))
