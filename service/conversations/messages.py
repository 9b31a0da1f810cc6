"""What was said in a conversation: each message, its reply, and the press it came from."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from core.database import Database, insert_or_ignore
from service.conversations import leases
from service.interface_types import Role
from service.schema import conversations, idempotency_keys, messages

# For how long the same press of a button is known to be the same.
IDEMPOTENCY_KEY_SECONDS = 24 * 3600


class StillReplying(Exception):
    """Raised when a reply is being written in this conversation."""


class IdempotencyKeyReused(Exception):
    """Raised when a press of the button comes again with other words, or in another place."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """One press of a button: who sends a message, and the key that they gave to it."""

    sub: str
    key: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `reply_to` is the id of the message that a reply answers.

    A reply that was stopped, or that broke off, is not complete.
    """

    id: str
    conversation_id: str
    role: Role
    content: str
    reply_to: str | None
    created_at: float
    complete: bool = True


class Messages:
    """Keep messages. A message that waits for its reply holds the lease of the conversation."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._clock = database.clock

    def list_page(
        self, conversation_id: str, page: int = 1, limit: int = 100
    ) -> tuple[Sequence[Message], int]:
        """Return a page of messages in the order they were said, and how many there are."""
        condition = messages.c.conversation_id == conversation_id
        query = _select_messages().where(condition).order_by(messages.c.position)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(condition)).scalar_one()
            rows = connection.execute(query.limit(limit).offset((page - 1) * limit))
            return [Message(*row) for row in rows], total

    def recent_history(self, message: Message, limit: int) -> Sequence[Message]:
        """Return the newest messages up to this one, in the order they were said."""
        condition = messages.c.conversation_id == message.conversation_id
        max_position = (
            select(messages.c.position).where(messages.c.id == message.id).scalar_subquery()
        )
        query = _select_messages().where(condition, messages.c.position <= max_position)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(messages.c.position.desc()).limit(limit))
            return [Message(*row) for row in rows][::-1]

    def find(self, conversation_id: str, message_id: str) -> Message | None:
        """Return a message of a conversation, or None."""
        condition = (messages.c.conversation_id == conversation_id) & (messages.c.id == message_id)
        with self.database.read() as connection:
            row = connection.execute(_select_messages().where(condition)).first()
        return Message(*row) if row else None

    def add(
        self, conversation_id: str, content: str, idempotency_key: IdempotencyKey | None = None
    ) -> tuple[Message, str | None]:
        """Store what a person said, and take the lease for the reply; return both.

        The same press is the same message, without a lease. Raises StillReplying and
        AnotherMessage.
        """
        now = self._clock.time()
        message_id = secrets.token_urlsafe(16)
        message = Message(message_id, conversation_id, "user", content, None, now)
        with self.database.write() as connection:
            condition = conversations.c.id == conversation_id
            connection.execute(select(conversations.c.id).where(condition).with_for_update())
            if idempotency_key:
                connection.execute(
                    delete(idempotency_keys).where(
                        idempotency_keys.c.at < now - IDEMPOTENCY_KEY_SECONDS
                    )
                )
                if earlier_message := _find_by_idempotency_key(connection, idempotency_key):
                    if (earlier_message.conversation_id, earlier_message.content) != (
                        conversation_id,
                        content,
                    ):
                        raise IdempotencyKeyReused
                    return earlier_message, None
            lease_id = leases.acquire(connection, conversation_id, message_id, now)
            if lease_id is None:
                raise StillReplying
            _insert(connection, message)
            if idempotency_key:
                row = {
                    "sub": idempotency_key.sub,
                    "key": idempotency_key.key,
                    "message_id": message_id,
                    "at": now,
                }
                statement = (
                    insert_or_ignore(connection, idempotency_keys)
                    .values(row)
                    .returning(idempotency_keys.c.key)
                )
                # Only a press in another conversation can have come in between.
                if connection.execute(statement).first() is None:
                    raise IdempotencyKeyReused
        return message, lease_id

    def find_reply_or_acquire_lease(self, message: Message) -> tuple[Message | None, str | None]:
        """Return the whole reply to a message, or the lease for it; neither while it is written.

        Raises StillReplying while the reply to another message is written.
        """
        condition = conversations.c.id == message.conversation_id
        with self.database.write() as connection:
            # First of all: whoever writes must not end between our looks.
            query = select(conversations.c.replying_to).where(condition).with_for_update()
            replying_to = connection.execute(query).scalar()
            reply = _find_reply(connection, message)
            if reply and reply.complete:
                return reply, None
            lease_id = leases.acquire(
                connection, message.conversation_id, message.id, self._clock.time()
            )
            if lease_id is None and replying_to != message.id:
                raise StillReplying
            return None, lease_id

    def find_complete_reply(self, message: Message) -> Message | None:
        """Return the whole reply to a message, or None."""
        with self.database.read() as connection:
            reply = _find_reply(connection, message)
        return reply if reply and reply.complete else None

    def store_reply(
        self,
        message: Message,
        lease_id: str,
        content: str,
        *,
        is_complete: bool,
        is_stopped: bool = False,
    ) -> Message | None:
        """Store the reply, if anything came, and give the lease back.

        Nothing is stored for a holder whose lease somebody else has taken.
        """
        now = self._clock.time()
        with self.database.write() as connection:
            if not leases.release(connection, lease_id, now, is_stopped=is_stopped) or not content:
                return None
            return _insert(
                connection,
                Message(
                    id=secrets.token_urlsafe(16),
                    conversation_id=message.conversation_id,
                    role="assistant",
                    content=content,
                    reply_to=message.id,
                    created_at=now,
                    complete=is_complete,
                ),
            )


def _find_reply(connection: Connection, message: Message) -> Message | None:
    query = _select_messages().where(messages.c.reply_to == message.id)
    row = connection.execute(query.order_by(messages.c.position.desc()).limit(1)).first()
    return Message(*row) if row else None


def _find_by_idempotency_key(
    connection: Connection, idempotency_key: IdempotencyKey
) -> Message | None:
    condition = (idempotency_keys.c.sub == idempotency_key.sub) & (
        idempotency_keys.c.key == idempotency_key.key
    )
    query = (
        _select_messages()
        .join(idempotency_keys, idempotency_keys.c.message_id == messages.c.id)
        .where(condition)
    )
    row = connection.execute(query).first()
    return Message(*row) if row else None


def _select_messages() -> Select[Any]:
    return select(*(messages.c[name] for name in Message.__slots__))


def _insert(connection: Connection, message: Message) -> Message:
    condition = messages.c.conversation_id == message.conversation_id
    last_position = (
        connection.execute(select(func.max(messages.c.position)).where(condition)).scalar() or 0
    )
    values = {name: getattr(message, name) for name in Message.__slots__}
    connection.execute(insert(messages).values(**values, position=last_position + 1))
    return message
