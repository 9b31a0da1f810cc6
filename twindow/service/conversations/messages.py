"""Storage of messages, their replies, and the idempotency keys of messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, select

from twindow.core.db.database import Database
from twindow.core.db.statements import insert_or_ignore
from twindow.core.secrets import new_id
from twindow.service.conversations import leases
from twindow.service.idempotency import (
    IDEMPOTENCY_KEY_SECONDS,
    IdempotencyKey,
    IdempotencyKeyReused,
)
from twindow.service.interface_types import Role
from twindow.service.knowledge import Source
from twindow.service.llm import Usage
from twindow.service.pagination import Page
from twindow.service.schema import conversations, idempotency_keys, messages


class StillReplying(Exception):
    """Raised while a reply is being written in the conversation; names the message it answers."""

    def __init__(self, message_id: str) -> None:
        super().__init__(message_id)
        self.message_id = message_id


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a person or a reply; `created_at` is in seconds since 1970.

    `reply_to` is the id of the message that a reply answers. `complete` is False for a reply that
    was stopped or interrupted. `cut_off` is True for a reply that ended at the model's token limit.
    `input_tokens`, `output_tokens` and `model` are set if the model server reported its usage.
    `sources` is a JSON list of the passages that a reply quotes, cites or offers.
    """

    id: str
    conversation_id: str
    role: Role
    content: str
    reply_to: str | None
    created_at: float
    complete: bool = True
    cut_off: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    sources: str = "[]"


class Messages:
    """Repository of messages. The conversation is leased while a message waits for its reply."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_page(self, conversation_id: str, page: int = 1, limit: int = 100) -> Page[Message]:
        """Return one page of messages, oldest first."""
        condition = messages.c.conversation_id == conversation_id
        query = _select_messages().where(condition).order_by(messages.c.position)
        query = query.offset((page - 1) * limit).limit(limit)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(condition)).scalar_one()
            return Page([Message(*row) for row in connection.execute(query)], total)

    def recent_history(self, message: Message, limit: int) -> Sequence[Message]:
        """Return `message` and the messages before it, at most `limit` in total, oldest first."""
        condition = messages.c.conversation_id == message.conversation_id
        max_position = (
            select(messages.c.position).where(messages.c.id == message.id).scalar_subquery()
        )
        query = _select_messages().where(condition, messages.c.position <= max_position)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(messages.c.position.desc()).limit(limit))
            return [Message(*row) for row in rows][::-1]

    def find(self, conversation_id: str, message_id: str) -> Message | None:
        """Return the message if it belongs to the conversation, else None."""
        condition = (messages.c.conversation_id == conversation_id) & (messages.c.id == message_id)
        with self.database.read() as connection:
            row = connection.execute(_select_messages().where(condition)).first()
        return Message(*row) if row else None

    def add(
        self, conversation_id: str, content: str, idempotency_key: IdempotencyKey | None = None
    ) -> tuple[Message, str | None]:
        """Store a person's message and acquire the lease for its reply; return both.

        If the idempotency key was used before, returns the earlier message without a lease. Raises
        StillReplying while a reply is being written, IdempotencyKeyReused when the earlier message
        differs.
        """
        message_id = new_id()
        with self.database.write(durable=True) as connection:
            condition = conversations.c.id == conversation_id
            query = select(conversations.c.lease_message_id).where(condition).with_for_update()
            lease_message_id = connection.execute(query).scalar()
            now = self.database.now(connection)
            if idempotency_key:
                connection.execute(
                    delete(idempotency_keys).where(
                        idempotency_keys.c.created_at < now - IDEMPOTENCY_KEY_SECONDS
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
                raise StillReplying(lease_message_id or "")
            message = Message(message_id, conversation_id, "user", content, None, now)
            _insert(connection, message)
            if idempotency_key:
                row = {
                    "sub": idempotency_key.sub,
                    "key": idempotency_key.digest,
                    "message_id": message_id,
                    "created_at": now,
                }
                statement = (
                    insert_or_ignore(connection, idempotency_keys)
                    .values(row)
                    .returning(idempotency_keys.c.key)
                )
                # Requests in this conversation wait for the lock. If the key exists now, a request
                # in another conversation has just used it.
                if connection.execute(statement).first() is None:
                    raise IdempotencyKeyReused
        return message, lease_id

    def find_reply_or_acquire_lease(self, message: Message) -> tuple[Message | None, str | None]:
        """Return the complete reply to a message, or a lease to write it.

        Raises StillReplying while a reply is being written.
        """
        condition = conversations.c.id == message.conversation_id
        with self.database.write() as connection:
            # Lock the conversation, so that its reply cannot end between the queries.
            query = select(conversations.c.lease_message_id).where(condition).with_for_update()
            lease_message_id = connection.execute(query).scalar()
            reply = _find_reply(connection, message)
            if reply and reply.complete:
                return reply, None
            lease_id = leases.acquire(
                connection, message.conversation_id, message.id, self.database.now(connection)
            )
            if lease_id is None:
                raise StillReplying(lease_message_id or "")
            return None, lease_id

    def store_reply(
        self,
        message: Message,
        lease_id: str,
        content: str,
        *,
        is_complete: bool,
        is_cut_off: bool = False,
        usage: Usage | None = None,
        sources: Sequence[Source] = (),
    ) -> Message | None:
        """Store the reply unless it is empty, and release the lease; return the stored reply.

        Stores nothing and returns None if the lease was taken over by another holder.
        """
        with self.database.write(durable=True) as connection:
            now = self.database.now(connection)
            if not leases.release(connection, lease_id, now) or not content:
                return None
            return _insert(
                connection,
                Message(
                    id=new_id(),
                    conversation_id=message.conversation_id,
                    role="assistant",
                    content=content,
                    reply_to=message.id,
                    created_at=now,
                    complete=is_complete,
                    cut_off=is_cut_off,
                    sources=msgspec.json.encode(sources).decode(),
                    **(asdict(usage) if usage else {}),
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
        idempotency_keys.c.key == idempotency_key.digest
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
