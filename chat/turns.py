"""Turns: what a person said. The row is written before the service is asked, and only once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from chat import search_index
from chat.conversations import Conversation, Gone, title_of
from chat.log import store
from chat.log.log import Log
from chat.quota import Allowance
from chat.schema import conversations, turns
from core.database import Database


class StillReplying(Exception):
    """Raised when the twin has not finished its reply to the turn before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person said. `position` counts from 1 in its conversation.

    `once` is the id of the first turn of those that repeat each other.
    """

    id: str
    conversation_id: str
    position: int
    content: str
    once: str
    created_at: float
    twin_id: str
    twin_name: str


class Added(NamedTuple):
    """A turn in its conversation; `new` is False for a press of the button that is known."""

    conversation: Conversation
    turn: Turn
    new: bool


class Turns:
    """Add and find turns."""

    def __init__(self, database: Database, log: Log, allowance: Allowance) -> None:
        self.database = database
        self._clock = database.clock
        self.log = log
        self.allowance = allowance

    def begin(self, person: str, twin_id: str, twin_name: str, content: str, key: str) -> Added:
        """Add a conversation and its first turn.

        The same press of the button (same key, same words) is the same turn. Raises NotNow.
        """
        press = _press(person, twin_id, key, content)
        try:
            return self._begin(person, twin_id, twin_name, content, press)
        except IntegrityError:
            # Another process was faster with the same press: its turn is the one.
            with self.database.read() as connection:
                if same := _pressed(connection, press):
                    return same
            raise

    def _begin(self, person: str, twin_id: str, twin_name: str, content: str, press: str) -> Added:
        with self._opened() as turn_id, self.database.write() as connection:
            if same := _pressed(connection, press):
                return same
            self.allowance.check(connection, person)
            now = self._clock.time()
            conversation = Conversation(
                id=secrets.token_urlsafe(16),
                person=person,
                twin_id=twin_id,
                twin_name=twin_name,
                title=title_of(content),
                service_id=None,
                created_at=now,
                updated_at=now,
            )
            connection.execute(insert(conversations).values(asdict(conversation)))
            search_index.set_title(connection, person, conversation.id, conversation.title)
            return self._insert(connection, turn_id, conversation, press, content, turn_id)

    def add(
        self, conversation: Conversation, content: str, key: str, again: Turn | None = None
    ) -> Added:
        """Add a turn to a conversation, which may repeat an earlier one.

        Brings the conversation back from the archive. Raises StillReplying, NotNow and Gone.
        """
        press = _press(conversation.person, conversation.id, key, content)
        newest = self.of_conversation(conversation.id, limit=1)
        if newest:
            self.log.orphans.end([newest[-1].id])
        mine = conversations.c.id == conversation.id
        with self._opened() as turn_id, self.database.write() as connection:
            there = select(conversations.c.id).where(mine, conversations.c.deleted_at.is_(None))
            if connection.execute(there.with_for_update()).first() is None:
                raise Gone
            if same := _pressed(connection, press):
                return same
            if _is_replying(connection, conversation.id):
                raise StillReplying
            self.allowance.check(connection, conversation.person)
            now = {"updated_at": self._clock.time(), "archived": False}
            connection.execute(update(conversations).where(mine).values(now))
            once = again.once if again and again.content == content else turn_id
            return self._insert(connection, turn_id, conversation, press, content, once)

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the person's turn, or None: what is not theirs does not exist."""
        mine = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        query = _select().where(turns.c.id == turn_id, mine)
        with self.database.read() as connection:
            return _turn(connection.execute(query).first())

    def of_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int
    ) -> Sequence[Turn]:
        """Return the newest turns before a position, in the order they were said."""
        query = _select().where(turns.c.conversation_id == conversation_id)
        if before is not None:
            query = query.where(turns.c.position < before)
        with self.database.read() as connection:
            found = connection.execute(query.order_by(turns.c.position.desc()).limit(limit))
            return [turn for row in found if (turn := _turn(row))][::-1]

    @contextmanager
    def _opened(self) -> Iterator[str]:
        """Give the id for a new turn; if it is not added after all, its log is not held."""
        turn_id = secrets.token_urlsafe(16)
        try:
            yield turn_id
        except BaseException:
            self.log.drop(turn_id)
            raise

    def _insert(
        self,
        connection: Connection,
        turn_id: str,
        conversation: Conversation,
        press: str,
        content: str,
        once: str,
    ) -> Added:
        mine = turns.c.conversation_id == conversation.id
        newest = connection.execute(select(func.max(turns.c.position)).where(mine)).scalar()
        turn = Turn(
            id=turn_id,
            conversation_id=conversation.id,
            position=(newest or 0) + 1,
            content=content,
            once=once,
            created_at=self._clock.time(),
            twin_id=conversation.twin_id,
            twin_name=conversation.twin_name,
        )
        connection.execute(
            insert(turns).values(
                id=turn.id,
                conversation_id=turn.conversation_id,
                position=turn.position,
                press=press,
                content=content,
                once=once,
                producer=self.log.heartbeat.producer,
                created_at=turn.created_at,
            )
        )
        search_index.add_said(connection, conversation.person, conversation.id, turn.id, content)
        # Both before the commit, so that nobody who sees the turn takes its producer for dead.
        self.log.heartbeat.beat(connection)
        self.log.open(turn.id)
        return Added(conversation, turn, new=True)


def _press(person: str, place: str, key: str, content: str) -> str:
    said = "\0".join((person, place, key, content))
    return hashlib.sha256(said.encode()).hexdigest()


def _pressed(connection: Connection, press: str) -> Added | None:
    turn = _turn(connection.execute(_select().where(turns.c.press == press)).first())
    if turn is None:
        return None
    mine = conversations.c.id == turn.conversation_id
    row = connection.execute(select(conversations).where(mine)).one()
    if row.deleted_at is not None:
        raise Gone
    return Added(Conversation(**row._mapping), turn, new=False)


def _is_replying(connection: Connection, conversation_id: str) -> bool:
    mine = turns.c.conversation_id == conversation_id
    query = select(turns.c.id).where(mine).order_by(turns.c.position.desc()).limit(1)
    newest = connection.execute(query).scalar()
    return newest is not None and not store.ends(connection, [newest])


def _select() -> Select[Any]:
    return select(
        *turns.c["id", "conversation_id", "position", "content", "once", "created_at"],
        *conversations.c["twin_id", "twin_name"],
    ).join(conversations)


def _turn(row: Row[tuple[object, ...]] | None) -> Turn | None:
    return Turn(**row._mapping) if row else None
