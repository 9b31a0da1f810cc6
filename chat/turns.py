"""Turns: a person's messages. A turn is committed before its message is sent to the service."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from chat import search_index, turn_rows
from chat.conversations import (
    Conversation,
    ConversationNotFound,
    conversation_from_row,
    is_newest,
)
from chat.limits import FIRST_MESSAGE_REQUESTS, Limits, Sender, requests_of_message
from chat.log import Log
from chat.schema import conversations, turns
from chat.titles import make_title
from chat.turn_rows import AddedTurn, StoredTurn, Turn
from core.database import Database


class ReplyInProgress(Exception):
    """Raised when the reply to the previous turn, `turn_id`, is still running."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(turn_id)
        self.turn_id = turn_id


class Turns:
    """Repository of turns. `secret_key` keys the hashes that identify form submissions."""

    def __init__(self, database: Database, log: Log, limits: Limits, secret_key: str) -> None:
        self.database = database
        self.log = log
        self.limits = limits
        self._secret_key = secret_key

    def start_conversation(
        self,
        person: str,
        twin_id: str,
        twin_name: str,
        content: str,
        idempotency_key: str,
        *,
        visitor_address: str | None = None,
    ) -> AddedTurn:
        """Add a conversation and its first turn.

        `visitor_address` is as in `Sender`. Returns the existing turn for a repeated submission
        (same idempotency key and content). Raises SendingBlocked, ConversationNotFound and
        DatabaseUnavailable.
        """
        fingerprint = turn_rows.fingerprint(
            self._secret_key, person, twin_id, idempotency_key, content
        )
        try:
            return self._start_conversation(
                Sender(person, twin_id, visitor_address), twin_name, content, fingerprint
            )
        except IntegrityError:
            # Another process has just inserted the same submission: return its turn.
            with self.database.read() as connection:
                if existing := turn_rows.find_existing(connection, fingerprint):
                    return existing
            raise

    def _start_conversation(
        self, sender: Sender, twin_name: str, content: str, fingerprint: str
    ) -> AddedTurn:
        with self._reserve_turn_id() as turn_id, self.database.write(durable=True) as connection:
            if existing := turn_rows.find_existing(connection, fingerprint):
                return existing
            now = self.database.now(connection)
            self.limits.accept_message(connection, sender, now, requests=FIRST_MESSAGE_REQUESTS)
            conversation = Conversation(
                id=secrets.token_urlsafe(16),
                person=sender.person,
                twin_id=sender.twin_id,
                twin_name=twin_name,
                title=make_title(content),
                service_id=None,
                created_at=now,
                updated_at=now,
            )
            connection.execute(insert(conversations).values(asdict(conversation)))
            search_index.index_title(
                connection, conversation.person, conversation.id, conversation.title
            )
            turn = self._insert(
                connection,
                conversation,
                fingerprint,
                turn_id=turn_id,
                position=1,
                content=content,
                idempotency_key=turn_id,
                created_at=now,
            )
            return AddedTurn(conversation, turn, is_new=True)

    def add(
        self,
        person: str,
        conversation_id: str,
        content: str,
        idempotency_key: str,
        resent_turn_id: str = "",
        *,
        visitor_address: str | None = None,
    ) -> AddedTurn:
        """Add a turn to a person's conversation, and unarchive the conversation.

        `resent_turn_id` is the id of the turn to resend; it is ignored if that turn has another
        message. `visitor_address` is as in `Sender`. Returns the existing turn for a repeated
        submission. Raises ReplyInProgress, SendingBlocked, ConversationNotFound and
        DatabaseUnavailable.
        """
        fingerprint = turn_rows.fingerprint(
            self._secret_key, person, conversation_id, idempotency_key, content
        )
        arguments = person, conversation_id, content, fingerprint, resent_turn_id, visitor_address
        try:
            return self._add(*arguments)
        except ReplyInProgress as error:
            if not self.log.interrupt_abandoned([error.turn_id]):
                raise
        return self._add(*arguments)

    def _add(
        self,
        person: str,
        conversation_id: str,
        content: str,
        fingerprint: str,
        resent_turn_id: str,
        visitor_address: str | None,
    ) -> AddedTurn:
        condition = (conversations.c.id == conversation_id) & (conversations.c.person == person)
        with self._reserve_turn_id() as turn_id, self.database.write(durable=True) as connection:
            query = select(conversations).where(condition, conversations.c.deleted_at.is_(None))
            conversation = conversation_from_row(
                connection.execute(query.with_for_update()).first()
            )
            if conversation is None:
                raise ConversationNotFound
            if existing := turn_rows.find_existing(connection, fingerprint):
                return existing
            newest = turn_rows.read_newest(connection, conversation_id)
            newest_turn = newest[0].turn if newest else None
            if newest_turn and not newest[0].batch:
                raise ReplyInProgress(newest_turn.id)
            now = self.database.now(connection)
            sending_status = self.limits.accept_message(
                connection,
                Sender(person, conversation.twin_id, visitor_address),
                now,
                requests=requests_of_message(conversation.service_id),
            )
            was_newest = is_newest(connection, conversation)
            values = {"updated_at": now, "archived": False}
            connection.execute(update(conversations).where(condition).values(values))
            resent_turn = turn_rows.find_resent_turn(
                connection, conversation_id, resent_turn_id, content
            )
            turn = self._insert(
                connection,
                conversation,
                fingerprint,
                turn_id=turn_id,
                position=newest_turn.position + 1 if newest_turn else 1,
                content=content,
                idempotency_key=resent_turn.idempotency_key if resent_turn else turn_id,
                created_at=now,
            )
            return AddedTurn(
                conversation,
                turn,
                is_new=True,
                previous_turn_id=newest_turn.id if newest_turn else None,
                was_newest=was_newest,
                sending_status=sending_status,
            )

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the turn, or None if it does not exist or belongs to another person."""
        owned_by_person = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        query = turn_rows.select_turns().where(turns.c.id == turn_id, owned_by_person)
        with self.database.read() as connection:
            return turn_rows.turn_from_row(connection.execute(query).first())

    def list_for_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int
    ) -> Sequence[StoredTurn]:
        """Return the newest `limit` turns before a position, the oldest of them first."""
        with self.database.read() as connection:
            return turn_rows.read_newest(connection, conversation_id, before=before, limit=limit)

    @contextmanager
    def _reserve_turn_id(self) -> Iterator[str]:
        """Generate a turn id for a `with` block. Call `Log.cancel_claim` if the block fails."""
        turn_id = secrets.token_urlsafe(16)
        try:
            yield turn_id
        except BaseException:
            self.log.cancel_claim(turn_id)
            raise

    def _insert(
        self,
        connection: Connection,
        conversation: Conversation,
        fingerprint: str,
        *,
        turn_id: str,
        position: int,
        content: str,
        idempotency_key: str,
        created_at: float,
    ) -> Turn:
        turn = Turn(
            id=turn_id,
            conversation_id=conversation.id,
            position=position,
            content=content,
            idempotency_key=idempotency_key,
            created_at=created_at,
            twin_id=conversation.twin_id,
            twin_name=conversation.twin_name,
        )
        turn_rows.insert_turn(
            connection, turn, submission=fingerprint, worker=self.log.claim(connection, turn.id)
        )
        search_index.index_message(
            connection, conversation.person, conversation.id, turn.id, content
        )
        return turn
