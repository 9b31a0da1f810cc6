"""Turns: a person's messages. The row is committed, once, before the service is called."""

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
from chat.conversations import Conversation, ConversationDeleted, make_title
from chat.log import Log, read_ends
from chat.quota import Quota
from chat.schema import conversations, turns
from core.database import Database


class ReplyInProgress(Exception):
    """Raised when the reply to the previous turn is still running."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Message of a person. `position` counts from 1 within the conversation.

    `once` is the id of the first of the turns that resend each other.
    """

    id: str
    conversation_id: str
    position: int
    content: str
    once: str
    created_at: float
    twin_id: str
    twin_name: str


class AddedTurn(NamedTuple):
    """Turn and its conversation; `is_new` is False for a repeated form submission."""

    conversation: Conversation
    turn: Turn
    is_new: bool


class Turns:
    """Repository of turns."""

    def __init__(self, database: Database, log: Log, quota: Quota) -> None:
        self.database = database
        self._clock = database.clock
        self.log = log
        self.quota = quota

    def start_conversation(
        self, person: str, twin_id: str, twin_name: str, content: str, idempotency_key: str
    ) -> AddedTurn:
        """Add a conversation and its first turn.

        Returns the existing turn for a repeated submission (same idempotency key and content).
        Raises SendingBlocked, ConversationDeleted and DatabaseUnavailable.
        """
        fingerprint = _fingerprint(person, twin_id, idempotency_key, content)
        try:
            return self._start_conversation(person, twin_id, twin_name, content, fingerprint)
        except IntegrityError:
            # Another process has just inserted the same submission: return its turn.
            with self.database.read() as connection:
                if existing := _find_existing(connection, fingerprint):
                    return existing
            raise

    def _start_conversation(
        self, person: str, twin_id: str, twin_name: str, content: str, fingerprint: str
    ) -> AddedTurn:
        with self._reserve_turn_id() as turn_id, self.database.write() as connection:
            if existing := _find_existing(connection, fingerprint):
                return existing
            self.quota.check(connection, person)
            now = self._clock.time()
            conversation = Conversation(
                id=secrets.token_urlsafe(16),
                person=person,
                twin_id=twin_id,
                twin_name=twin_name,
                title=make_title(content),
                service_id=None,
                created_at=now,
                updated_at=now,
            )
            connection.execute(insert(conversations).values(asdict(conversation)))
            search_index.index_title(connection, person, conversation.id, conversation.title)
            return self._insert(connection, turn_id, conversation, fingerprint, content, turn_id)

    def add(
        self,
        conversation: Conversation,
        content: str,
        idempotency_key: str,
        resent_turn: Turn | None = None,
    ) -> AddedTurn:
        """Add a turn to a conversation; `resent_turn` is the earlier turn that it resends.

        Returns the existing turn for a repeated submission. Unarchives the conversation. Raises
        ReplyInProgress, SendingBlocked, ConversationDeleted and DatabaseUnavailable.
        """
        fingerprint = _fingerprint(conversation.person, conversation.id, idempotency_key, content)
        newest_turns = self.list_for_conversation(conversation.id, limit=1)
        if newest_turns:
            self.log.interrupt_abandoned([newest_turns[-1].id])
        condition = conversations.c.id == conversation.id
        with self._reserve_turn_id() as turn_id, self.database.write() as connection:
            query = select(conversations.c.id).where(
                condition, conversations.c.deleted_at.is_(None)
            )
            if connection.execute(query.with_for_update()).first() is None:
                raise ConversationDeleted
            if existing := _find_existing(connection, fingerprint):
                return existing
            if _is_replying(connection, conversation.id):
                raise ReplyInProgress
            self.quota.check(connection, conversation.person)
            values = {"updated_at": self._clock.time(), "archived": False}
            connection.execute(update(conversations).where(condition).values(values))
            original_turn_id = (
                resent_turn.once if resent_turn and resent_turn.content == content else turn_id
            )
            return self._insert(
                connection, turn_id, conversation, fingerprint, content, original_turn_id
            )

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the turn, or None if it does not exist or belongs to another person."""
        owned_by_person = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        query = _select_turns().where(turns.c.id == turn_id, owned_by_person)
        with self.database.read() as connection:
            return _turn_from_row(connection.execute(query).first())

    def list_for_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int
    ) -> Sequence[Turn]:
        """Return the newest `limit` turns before a position, the oldest of them first."""
        query = _select_turns().where(turns.c.conversation_id == conversation_id)
        if before is not None:
            query = query.where(turns.c.position < before)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(turns.c.position.desc()).limit(limit))
            return [turn for row in rows if (turn := _turn_from_row(row))][::-1]

    @contextmanager
    def _reserve_turn_id(self) -> Iterator[str]:
        """Provide the id of a new turn, and drop its log buffer if adding the turn fails."""
        turn_id = secrets.token_urlsafe(16)
        try:
            yield turn_id
        except BaseException:
            self.log.drop_buffer(turn_id)
            raise

    def _insert(
        self,
        connection: Connection,
        turn_id: str,
        conversation: Conversation,
        fingerprint: str,
        content: str,
        original_turn_id: str,
    ) -> AddedTurn:
        condition = turns.c.conversation_id == conversation.id
        last_position = connection.execute(
            select(func.max(turns.c.position)).where(condition)
        ).scalar()
        turn = Turn(
            id=turn_id,
            conversation_id=conversation.id,
            position=(last_position or 0) + 1,
            content=content,
            once=original_turn_id,
            created_at=self._clock.time(),
            twin_id=conversation.twin_id,
            twin_name=conversation.twin_name,
        )
        connection.execute(
            insert(turns).values(
                id=turn.id,
                conversation_id=turn.conversation_id,
                position=turn.position,
                press=fingerprint,
                content=content,
                once=original_turn_id,
                producer=self.log.claim(connection, turn.id),
                created_at=turn.created_at,
            )
        )
        search_index.index_message(
            connection, conversation.person, conversation.id, turn.id, content
        )
        return AddedTurn(conversation, turn, is_new=True)


def _fingerprint(person: str, target_id: str, idempotency_key: str, content: str) -> str:
    payload = "\0".join((person, target_id, idempotency_key, content))
    return hashlib.sha256(payload.encode()).hexdigest()


def _find_existing(connection: Connection, fingerprint: str) -> AddedTurn | None:
    turn = _turn_from_row(
        connection.execute(_select_turns().where(turns.c.press == fingerprint)).first()
    )
    if turn is None:
        return None
    condition = conversations.c.id == turn.conversation_id
    row = connection.execute(select(conversations).where(condition)).one()
    if row.deleted_at is not None:
        raise ConversationDeleted
    return AddedTurn(Conversation(**row._mapping), turn, is_new=False)


def _is_replying(connection: Connection, conversation_id: str) -> bool:
    condition = turns.c.conversation_id == conversation_id
    query = select(turns.c.id).where(condition).order_by(turns.c.position.desc()).limit(1)
    newest_id = connection.execute(query).scalar()
    return newest_id is not None and not read_ends(connection, [newest_id])


def _select_turns() -> Select[Any]:
    return select(
        *turns.c["id", "conversation_id", "position", "content", "once", "created_at"],
        *conversations.c["twin_id", "twin_name"],
    ).join(conversations)


def _turn_from_row(row: Row[tuple[object, ...]] | None) -> Turn | None:
    return Turn(**row._mapping) if row else None
