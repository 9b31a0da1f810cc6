"""What was said in a conversation: each message, its reply, and the press it came from."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from core.database import Database, insert_new
from service.api.schemas import Role
from service.conversations import leases
from service.schema import conversations, messages, presses

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

    def of(
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

    def find(self, conversation_id: str, message_id: str) -> Message | None:
        """Return a message of a conversation, or None."""
        which = (messages.c.conversation_id == conversation_id) & (messages.c.id == message_id)
        with self.database.read() as connection:
            row = connection.execute(_messages().where(which)).first()
        return Message(*row) if row else None

    def say(
        self, conversation_id: str, content: str, press: Press | None = None
    ) -> tuple[Message, str | None]:
        """Store what a person said, and take the lease for the reply; return both.

        The same press is the same message, without a lease. Raises StillReplying and
        AnotherMessage.
        """
        now = self._clock.time()
        message_id = secrets.token_urlsafe(16)
        message = Message(message_id, conversation_id, "user", content, None, now)
        with self.database.write() as connection:
            mine = conversations.c.id == conversation_id
            connection.execute(select(conversations.c.id).where(mine).with_for_update())
            if press:
                connection.execute(delete(presses).where(presses.c.at < now - REMEMBER_SECONDS))
                if same := _pressed(connection, press):
                    if (same.conversation_id, same.content) != (conversation_id, content):
                        raise AnotherMessage
                    return same, None
            holder = leases.take(connection, conversation_id, message_id, now)
            if holder is None:
                raise StillReplying
            _add(connection, message)
            if press:
                row = {"sub": press.sub, "key": press.key, "message_id": message_id, "at": now}
                new = insert_new(connection, presses).values(row).returning(presses.c.key)
                # Only a press in another conversation can have come in between.
                if connection.execute(new).first() is None:
                    raise AnotherMessage
        return message, holder

    def take_up(self, said: Message) -> tuple[Message | None, str | None]:
        """Return the whole reply to a message, or the lease for it; neither while it is written.

        Raises StillReplying while the reply to another message is written.
        """
        mine = conversations.c.id == said.conversation_id
        with self.database.write() as connection:
            # First of all: whoever writes must not end between our looks.
            query = select(conversations.c.replying_to).where(mine).with_for_update()
            replying_to = connection.execute(query).scalar()
            known = _reply_to(connection, said)
            if known and known.complete:
                return known, None
            holder = leases.take(connection, said.conversation_id, said.id, self._clock.time())
            if holder is None and replying_to != said.id:
                raise StillReplying
            return None, holder

    def whole_reply(self, said: Message) -> Message | None:
        """Return the whole reply to a message, or None."""
        with self.database.read() as connection:
            known = _reply_to(connection, said)
        return known if known and known.complete else None

    def reply(
        self, said: Message, holder: str, content: str, *, complete: bool, stopped: bool = False
    ) -> Message | None:
        """Store the reply, if anything came, and give the lease back.

        Nothing is stored for a holder whose lease somebody else has taken.
        """
        now = self._clock.time()
        with self.database.write() as connection:
            if not leases.give_back(connection, holder, now, stopped=stopped) or not content:
                return None
            return _add(
                connection,
                Message(
                    id=secrets.token_urlsafe(16),
                    conversation_id=said.conversation_id,
                    role="assistant",
                    content=content,
                    reply_to=said.id,
                    created_at=now,
                    complete=complete,
                ),
            )


def _reply_to(connection: Connection, said: Message) -> Message | None:
    query = _messages().where(messages.c.reply_to == said.id)
    row = connection.execute(query.order_by(messages.c.position.desc()).limit(1)).first()
    return Message(*row) if row else None


def _pressed(connection: Connection, press: Press) -> Message | None:
    same = (presses.c.sub == press.sub) & (presses.c.key == press.key)
    query = _messages().join(presses, presses.c.message_id == messages.c.id).where(same)
    row = connection.execute(query).first()
    return Message(*row) if row else None


def _messages() -> Select[Any]:
    return select(*(messages.c[name] for name in Message.__slots__))


def _add(connection: Connection, message: Message) -> Message:
    mine = messages.c.conversation_id == message.conversation_id
    newest = connection.execute(select(func.max(messages.c.position)).where(mine)).scalar() or 0
    values = {name: getattr(message, name) for name in Message.__slots__}
    connection.execute(insert(messages).values(**values, position=newest + 1))
    return message
