"""Conversations and their messages, found through whom they belong to."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from database import Database
from service.tables import conversations, messages, presses

# Shorter than a portal takes to see that its reply was cut off by a crash here.
LEASE_SECONDS = 6.0
# For how long the same press of a button is known to be the same.
REMEMBER_SECONDS = 24 * 3600


class StillReplying(Exception):
    """Raised when a reply is being written in this conversation."""


class AnotherMessage(Exception):
    """Raised when a press of the button comes again with other words, or in another place."""


@dataclass(frozen=True, slots=True)
class Press:
    """One press of a button: who sends a message, and the key that they gave to it."""

    sub: str
    key: str


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

    def newest(self, said: Message, limit: int) -> Sequence[Message]:
        """Return the newest messages up to this one, in the order they were said."""
        mine = messages.c.conversation_id == said.conversation_id
        until = select(messages.c.position).where(messages.c.id == said.id).scalar_subquery()
        query = _messages().where(mine, messages.c.position <= until)
        with self.database.read() as connection:
            found = connection.execute(query.order_by(messages.c.position.desc()).limit(limit))
            return [Message(*row) for row in found][::-1]

    def message(self, conversation_id: str, message_id: str) -> Message | None:
        """Return a message of a conversation, or None."""
        which = (messages.c.conversation_id == conversation_id) & (messages.c.id == message_id)
        with self.database.read() as connection:
            row = connection.execute(_messages().where(which)).first()
        return Message(*row) if row else None

    def reply_to(self, said: Message) -> Message | None:
        """Return the newest reply to a message, or None."""
        with self.database.read() as connection:
            return _reply_to(connection, said)

    def say(
        self, conversation: Conversation, content: str, press: Press | None = None
    ) -> tuple[Message, bool]:
        """Store what a person said and take the lease for the reply; True says that it is new.

        The same press is the same message, and takes no lease. Raises StillReplying and
        AnotherMessage.
        """
        now = time.time()
        message_id = secrets.token_urlsafe(16)
        message = Message(message_id, conversation.id, "user", content, None, now)
        with self.database.write() as connection:
            mine = conversations.c.id == conversation.id
            connection.execute(select(conversations.c.id).where(mine).with_for_update())
            if press and (same := _pressed(connection, press)):
                if (same.conversation_id, same.content) != (conversation.id, content):
                    raise AnotherMessage
                return same, False
            if not _lease(connection, message):
                raise StillReplying
            _add(connection, message)
            if press:
                connection.execute(delete(presses).where(presses.c.at < now - REMEMBER_SECONDS))
                row = {"sub": press.sub, "key": press.key, "message_id": message_id, "at": now}
                connection.execute(insert(presses).values(row))
        return message, True

    def take_up(self, said: Message) -> tuple[Message | None, bool]:
        """Return the whole reply to a message; without one, take the lease if nobody has it."""
        with self.database.write() as connection:
            known = _reply_to(connection, said)
            if known and known.complete:
                return known, False
            return None, _lease(connection, said)

    def is_replying(self, said: Message) -> bool:
        """Tell whether somebody holds the lease for the reply to a message."""
        with self.database.read() as connection:
            held = (conversations.c.replying_to == said.id) & (
                conversations.c.replying_until >= time.time()
            )
            return connection.execute(select(conversations.c.id).where(held)).first() is not None

    def ask_to_stop(self, said: Message) -> None:
        """Leave word that the reply to a message should stop."""
        mine = conversations.c.replying_to == said.id
        with self.database.write() as connection:
            connection.execute(update(conversations).where(mine).values(stopping=True))

    def to_be_stopped(self, message_ids: Sequence[str]) -> Sequence[str]:
        """Return those messages whose replies should stop."""
        mine = conversations.c.replying_to.in_(message_ids) & conversations.c.stopping
        with self.database.read() as connection:
            return list(connection.scalars(select(conversations.c.replying_to).where(mine)))

    def reply(self, said: Message, content: str, *, complete: bool) -> Message | None:
        """Store the reply, if anything came, and give the lease back."""
        mine = conversations.c.replying_to == said.id
        over = {
            "replying_until": 0,
            "replying_to": None,
            "stopping": False,
            "updated_at": time.time(),
        }
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


def _reply_to(connection: Connection, said: Message) -> Message | None:
    query = _messages().where(messages.c.reply_to == said.id)
    row = connection.execute(query.order_by(messages.c.position.desc()).limit(1)).first()
    return Message(*row) if row else None


def _lease(connection: Connection, said: Message) -> bool:
    now = time.time()
    free = (conversations.c.id == said.conversation_id) & (conversations.c.replying_until < now)
    lease = {
        "replying_until": now + LEASE_SECONDS,
        "replying_to": said.id,
        "stopping": False,
        "updated_at": now,
    }
    return bool(connection.execute(update(conversations).where(free).values(lease)).rowcount)


def _pressed(connection: Connection, press: Press) -> Message | None:
    same = (presses.c.sub == press.sub) & (presses.c.key == press.key)
    query = _messages().join(presses, presses.c.message_id == messages.c.id).where(same)
    row = connection.execute(query).first()
    return Message(*row) if row else None


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
