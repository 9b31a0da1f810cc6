"""Conversations and their messages, found through whom they belong to."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from database import Database
from service.tables import conversations, messages

# Shorter than a portal takes to see that its reply was cut off by a crash here.
LEASE_SECONDS = 6.0


class StillReplying(Exception):
    """Raised when a reply is being written in this conversation."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation. Times are seconds since 1970."""

    id: str
    sub: str
    twin_id: str
    title: str
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `reply_to` is the id of the message that a reply answers.

    A reply that was stopped, or that broke off, is not complete.
    """

    id: str
    conversation_id: str
    role: str
    content: str
    reply_to: str | None
    created_at: float
    complete: bool = True


class Conversations:
    """Keep conversations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(self, sub: str, twin_id: str, title: str) -> Conversation:
        """Add a conversation."""
        now = time.time()
        conversation = Conversation(secrets.token_urlsafe(16), sub, twin_id, title, now, now)
        values = {name: getattr(conversation, name) for name in Conversation.__slots__}
        with self.database.write() as connection:
            connection.execute(insert(conversations).values(**values, replying_until=0))
        return conversation

    def find(self, conversation_id: str, sub: str) -> Conversation | None:
        """Return a conversation of `sub`, or None."""
        mine = (conversations.c.id == conversation_id) & (conversations.c.sub == sub)
        with self.database.read() as connection:
            row = connection.execute(_conversations().where(mine)).first()
        return Conversation(*row) if row else None

    def of(
        self, sub: str, twin_id: str | None, page: int, limit: int
    ) -> tuple[Sequence[Conversation], int]:
        """Return a page of the conversations of `sub`, newest first, and how many there are."""
        mine = conversations.c.sub == sub
        if twin_id is not None:
            mine &= conversations.c.twin_id == twin_id
        newest = (conversations.c.updated_at.desc(), conversations.c.id)
        query = _conversations().where(mine).order_by(*newest)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(mine)).scalar_one()
            found = connection.execute(query.limit(limit).offset((page - 1) * limit))
            return [Conversation(*row) for row in found], total

    def messages(
        self, conversation_id: str, page: int = 1, limit: int = 100
    ) -> tuple[Sequence[Message], int]:
        """Return a page of messages in the order they were said, and how many there are."""
        mine = messages.c.conversation_id == conversation_id
        query = _messages().where(mine).order_by(messages.c.position)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(mine)).scalar_one()
            found = connection.execute(query.limit(limit).offset((page - 1) * limit))
            return [Message(*row) for row in found], total

    def newest(self, conversation_id: str, limit: int) -> Sequence[Message]:
        """Return the newest messages in the order they were said."""
        mine = messages.c.conversation_id == conversation_id
        query = _messages().where(mine).order_by(messages.c.position.desc()).limit(limit)
        with self.database.read() as connection:
            return [Message(*row) for row in connection.execute(query)][::-1]

    def say(self, conversation: Conversation, content: str) -> Message:
        """Store what a person said and take the lease for the reply. Raises StillReplying."""
        now = time.time()
        free = (conversations.c.id == conversation.id) & (conversations.c.replying_until < now)
        message_id = secrets.token_urlsafe(16)
        lease = {
            "replying_until": now + LEASE_SECONDS,
            "replying_to": message_id,
            "updated_at": now,
        }
        with self.database.write() as connection:
            if not connection.execute(update(conversations).where(free).values(lease)).rowcount:
                raise StillReplying
            message = Message(message_id, conversation.id, "user", content, None, now)
            return _add(connection, message)

    def reply(self, said: Message, content: str, *, complete: bool) -> Message | None:
        """Store the reply, if anything came, and give the lease back."""
        mine = conversations.c.replying_to == said.id
        over = {"replying_until": 0, "replying_to": None, "updated_at": time.time()}
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(over))
            if not content:
                return None
            return _add(
                connection,
                Message(
                    id=secrets.token_urlsafe(16),
                    conversation_id=said.conversation_id,
                    role="assistant",
                    content=content,
                    reply_to=said.id,
                    created_at=time.time(),
                    complete=complete,
                ),
            )

    def renew(self, message_ids: Sequence[str]) -> None:
        """Hold the leases for the replies to these messages a little longer."""
        mine = conversations.c.replying_to.in_(message_ids)
        until = time.time() + LEASE_SECONDS
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(replying_until=until))


def _conversations() -> Select[Any]:
    return select(*(conversations.c[name] for name in Conversation.__slots__))


def _messages() -> Select[Any]:
    return select(*(messages.c[name] for name in Message.__slots__))


def _add(connection: Connection, message: Message) -> Message:
    mine = messages.c.conversation_id == message.conversation_id
    newest = connection.execute(select(func.max(messages.c.position)).where(mine)).scalar() or 0
    values = {name: getattr(message, name) for name in Message.__slots__}
    connection.execute(insert(messages).values(**values, position=newest + 1))
    return message
