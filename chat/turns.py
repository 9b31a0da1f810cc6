"""Turns: what a person said. The row is written before the service is asked, and only once."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from chat import stored
from chat.conversations import Conversation, title_of
from chat.log import Log
from chat.tables import conversations, turns
from database import Database


class StillReplying(Exception):
    """Raised when the twin has not finished its reply to the turn before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person said. `position` counts from 1 in its conversation."""

    id: str
    conversation_id: str
    position: int
    content: str
    created_at: float
    twin_id: str
    twin_name: str


class Turns:
    """Add and find turns."""

    def __init__(self, database: Database, log: Log) -> None:
        self.database = database
        self.log = log

    def begin(
        self, person: str, twin_id: str, twin_name: str, content: str, key: str
    ) -> tuple[Turn, bool]:
        """Add a conversation and its first turn; the flag says whether they are new.

        The same press of the button (same key, same words) is the same turn.
        """
        press = _press(person, twin_id, key, content)
        try:
            return self._begin(person, twin_id, twin_name, content, press)
        except IntegrityError:
            # Another process was faster with the same press: its turn is the one.
            with self.database.read() as connection:
                if same := _pressed(connection, press):
                    return same, False
            raise

    def _begin(
        self, person: str, twin_id: str, twin_name: str, content: str, press: str
    ) -> tuple[Turn, bool]:
        now = time.time()
        with self.database.write() as connection:
            if same := _pressed(connection, press):
                return same, False
            conversation_id = secrets.token_urlsafe(16)
            connection.execute(
                insert(conversations).values(
                    id=conversation_id,
                    person=person,
                    twin_id=twin_id,
                    twin_name=twin_name,
                    title=title_of(content),
                    created_at=now,
                    updated_at=now,
                )
            )
            return self._insert(
                connection, conversation_id, press, content, now, twin_id, twin_name
            ), True

    def add(self, conversation: Conversation, content: str, key: str) -> tuple[Turn, bool]:
        """Add a turn to a conversation; the flag says whether it is new.

        Raises StillReplying.
        """
        press = _press(conversation.person, conversation.id, key, content)
        newest = self.of_conversation(conversation.id, limit=1)
        if newest:
            self.log.end_if_lost(newest[-1].id)
        mine = conversations.c.id == conversation.id
        with self.database.write() as connection:
            connection.execute(select(conversations.c.id).where(mine).with_for_update())
            if same := _pressed(connection, press):
                return same, False
            if _is_replying(connection, conversation.id):
                raise StillReplying
            now = time.time()
            connection.execute(update(conversations).where(mine).values(updated_at=now))
            twin = conversation.twin_id, conversation.twin_name
            return self._insert(connection, conversation.id, press, content, now, *twin), True

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the person's turn, or None: what is not theirs does not exist."""
        query = _select().where(turns.c.id == turn_id, conversations.c.person == person)
        with self.database.read() as connection:
            return _turn(connection.execute(query).first())

    def of_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int = 20
    ) -> Sequence[Turn]:
        """Return the newest turns before a position, in the order they were said."""
        query = _select().where(turns.c.conversation_id == conversation_id)
        if before is not None:
            query = query.where(turns.c.position < before)
        with self.database.read() as connection:
            found = connection.execute(query.order_by(turns.c.position.desc()).limit(limit))
            return [turn for row in found if (turn := _turn(row))][::-1]

    def _insert(
        self,
        connection: Connection,
        conversation_id: str,
        press: str,
        content: str,
        now: float,
        *twin: str,
    ) -> Turn:
        mine = turns.c.conversation_id == conversation_id
        newest = connection.execute(select(func.max(turns.c.position)).where(mine)).scalar()
        position = (newest or 0) + 1
        turn = Turn(secrets.token_urlsafe(16), conversation_id, position, content, now, *twin)
        connection.execute(
            insert(turns).values(
                id=turn.id,
                conversation_id=conversation_id,
                position=turn.position,
                press=press,
                content=content,
                producer=self.log.heartbeat.producer,
                created_at=now,
            )
        )
        # In the same transaction, so that no other process takes this one for dead.
        self.log.heartbeat.beat(connection)
        return turn


def _press(person: str, place: str, key: str, content: str) -> str:
    said = "\0".join((person, place, key, content))
    return hashlib.sha256(said.encode()).hexdigest()


def _pressed(connection: Connection, press: str) -> Turn | None:
    return _turn(connection.execute(_select().where(turns.c.press == press)).first())


def _is_replying(connection: Connection, conversation_id: str) -> bool:
    mine = turns.c.conversation_id == conversation_id
    query = select(turns.c.id).where(mine).order_by(turns.c.position.desc()).limit(1)
    newest = connection.execute(query).scalar()
    return newest is not None and not stored.ends(connection, [newest])


def _select() -> Select[Any]:
    return select(
        *turns.c["id", "conversation_id", "position", "content", "created_at"],
        *conversations.c["twin_id", "twin_name"],
    ).join(conversations)


def _turn(row: Row[tuple[object, ...]] | None) -> Turn | None:
    return Turn(**row._mapping) if row else None
