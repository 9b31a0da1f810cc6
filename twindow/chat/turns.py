"""Turns: a person's messages. A turn is committed before its message is sent to the service."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update
from sqlalchemy.exc import IntegrityError

from twindow.chat.conversations import (
    Conversation,
    ConversationNotFound,
    conversation_from_row,
    conversations_from_rows,
    select_conversations,
)
from twindow.chat.limits import (
    FIRST_MESSAGE_REQUESTS,
    Limits,
    Sender,
    SendingBlocked,
    SendingStatus,
    requests_of_message,
)
from twindow.chat.log import Batch, Log, Reply, build_reply, decode
from twindow.chat.schema import conversations, entries, turns
from twindow.chat.titles import make_title
from twindow.core.db.database import Database
from twindow.core.languages import N_
from twindow.core.secrets import keyed_hash
from twindow.core.text_folding import join_terms

PORTAL_BUSY = N_("Very many people are waiting for replies. Try again in a minute.")

_COLUMNS = ("id", "conversation_id", "position", "content", "idempotency_key", "created_at")


@dataclass(frozen=True, slots=True)
class Turn:
    """Message of a person. `position` counts from 1 within the conversation.

    `idempotency_key` is sent to the service. A resend has the key of the turn that it repeats; any
    other turn has its own id as the key.
    """

    id: str
    conversation_id: str
    position: int
    content: str
    idempotency_key: str
    created_at: float
    twin_id: str
    twin_name: str


@dataclass(frozen=True, slots=True)
class AddedTurn:
    """A turn, and the state of its conversation before the turn was added.

    `is_new` is False for a repeated form submission. `sending_status` is set only for a new turn of
    an existing conversation.
    """

    conversation: Conversation
    turn: Turn
    is_new: bool
    sending_status: SendingStatus | None = None


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with its stored reply: `batch` has the final entry, or is None without one.

    `html` is the HTML of the reply, made by the renderer `html_version`; both may be None.
    """

    turn: Turn
    batch: Batch | None
    html: str | None
    html_version: int | None


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
        submission = keyed_hash(self._secret_key, "turn", person, twin_id, idempotency_key, content)
        try:
            return self._start_conversation(
                Sender(person, twin_id, visitor_address), twin_name, content, submission
            )
        except IntegrityError:
            # Another process has just inserted the same submission: return its turn.
            with self.database.read() as connection:
                if existing := _find_existing(connection, submission):
                    return existing
            raise

    def _start_conversation(
        self, sender: Sender, twin_name: str, content: str, submission: str
    ) -> AddedTurn:
        message_terms = join_terms(content)
        with self._reserve_turn_id() as turn_id, self.database.write(durable=True) as connection:
            if existing := _find_existing(connection, submission):
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
            values = asdict(conversation) | {"title_terms": join_terms(conversation.title)}
            connection.execute(insert(conversations).values(values))
            turn = self._insert(
                connection,
                conversation,
                submission,
                turn_id=turn_id,
                position=1,
                content=content,
                message_terms=message_terms,
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
        submission = keyed_hash(
            self._secret_key, "turn", person, conversation_id, idempotency_key, content
        )
        arguments = person, conversation_id, content, submission, resent_turn_id, visitor_address
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
        submission: str,
        resent_turn_id: str,
        visitor_address: str | None,
    ) -> AddedTurn:
        message_terms = join_terms(content)
        condition = (conversations.c.id == conversation_id) & (conversations.c.person == person)
        with self._reserve_turn_id() as turn_id, self.database.write(durable=True) as connection:
            query = select_conversations(condition & conversations.c.deleted_at.is_(None))
            conversation = conversation_from_row(
                connection.execute(query.with_for_update()).first()
            )
            if conversation is None:
                raise ConversationNotFound
            newest, existing = _read_newest_and(connection, conversation_id, submission)
            if existing:
                return AddedTurn(conversation, existing, is_new=False)
            if newest and not newest.batch:
                raise ReplyInProgress(newest.turn.id)
            now = self.database.now(connection)
            sending_status = self.limits.accept_message(
                connection,
                Sender(person, conversation.twin_id, visitor_address),
                now,
                requests=requests_of_message(conversation.service_id),
            )
            values = {"updated_at": now, "archived": False}
            connection.execute(update(conversations).where(condition).values(values))
            resent_turn = _find_resent_turn(connection, conversation_id, resent_turn_id, content)
            turn = self._insert(
                connection,
                conversation,
                submission,
                turn_id=turn_id,
                position=newest.turn.position + 1 if newest else 1,
                content=content,
                message_terms=message_terms,
                idempotency_key=resent_turn.idempotency_key if resent_turn else turn_id,
                created_at=now,
            )
            return AddedTurn(
                conversation,
                turn,
                is_new=True,
                sending_status=sending_status,
            )

    def find(self, turn_id: str, person: str) -> Turn | None:
        """Return the turn, or None if it is missing, deleted or belongs to another person."""
        owned_by_person = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        query = _select_turns().where(turns.c.id == turn_id, owned_by_person)
        with self.database.read() as connection:
            return _turn_from_row(connection.execute(query).first())

    def list_running(self, person: str) -> Sequence[str]:
        """Return the ids of the person's turns whose replies are running."""
        is_running = (conversations.c.person == person) & (turns.c.worker > "")
        with self.database.read() as connection:
            return connection.scalars(
                select(turns.c.id).join(conversations).where(is_running)
            ).all()

    def list_for_conversation(
        self, conversation_id: str, *, before: int | None = None, limit: int
    ) -> Sequence[StoredTurn]:
        """Return the newest `limit` turns before a position, the oldest of them first."""
        with self.database.read() as connection:
            return _read_newest(connection, conversation_id, before=before, limit=limit)

    @contextmanager
    def _reserve_turn_id(self) -> Iterator[str]:
        """Generate a turn id for a `with` block. Call `Log.cancel_claim` if the block fails."""
        self.log.prepare_claim()
        turn_id = secrets.token_urlsafe(16)
        try:
            yield turn_id
        except BaseException as error:
            self.log.cancel_claim(turn_id)
            if isinstance(error, SendingBlocked):
                self.database.metrics.count("messages_refused")
            raise

    def _insert(
        self,
        connection: Connection,
        conversation: Conversation,
        submission: str,
        *,
        turn_id: str,
        position: int,
        content: str,
        message_terms: str,
        idempotency_key: str,
        created_at: float,
    ) -> Turn:
        if self.log.is_full:
            raise SendingBlocked(PORTAL_BUSY, None)
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
        _insert_turn(
            connection,
            turn,
            submission=submission,
            worker=self.log.claim(turn.id),
            message_terms=message_terms,
        )
        return turn


TURNS_PER_QUERY = 20


def iter_turns(turns: Turns, log: Log, conversation_id: str) -> Iterator[tuple[Turn, Reply]]:
    """Yield every turn with its reply, oldest first, in queries of `TURNS_PER_QUERY` turns."""
    last_position = 0
    while True:
        fetched_turns = turns.list_for_conversation(
            conversation_id, before=last_position + TURNS_PER_QUERY + 1, limit=TURNS_PER_QUERY
        )
        new_turns = [stored for stored in fetched_turns if stored.turn.position > last_position]
        if not new_turns:
            return
        logs = log.read_all([stored.turn.id for stored in new_turns if not stored.batch])
        for stored in new_turns:
            yield stored.turn, build_reply(stored.batch or logs[stored.turn.id])
        last_position = new_turns[-1].turn.position


def _find_existing(connection: Connection, submission: str) -> AddedTurn | None:
    """Return the turn of an earlier submission of the same form. Raises ConversationNotFound."""
    turn = _turn_from_row(
        connection.execute(_select_turns().where(turns.c.submission == submission)).first()
    )
    if turn is None:
        return None
    condition = conversations.c.id == turn.conversation_id
    [conversation] = conversations_from_rows(connection.execute(select_conversations(condition)))
    if conversation.deleted_at is not None:
        raise ConversationNotFound
    return AddedTurn(conversation, turn, is_new=False)


def _insert_turn(connection: Connection, turn: Turn, **values: object) -> None:
    """Insert a turn. `values` has the columns that are not attributes of `Turn`."""
    row = {name: getattr(turn, name) for name in _COLUMNS}
    connection.execute(insert(turns).values(row | values))


def _read_newest(
    connection: Connection, conversation_id: str, *, before: int | None = None, limit: int = 1
) -> list[StoredTurn]:
    """Return the newest turns of a conversation before a position, the oldest of them first."""
    query = _select_stored(conversation_id)
    if before is not None:
        query = query.where(turns.c.position < before)
    rows = connection.execute(query.order_by(turns.c.position.desc()).limit(limit)).all()
    return [_stored_turn(row) for row in reversed(rows)]


def _read_newest_and(
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
    query = _select_stored(conversation_id).add_columns(turns.c.submission).where(wanted)
    rows = connection.execute(query.order_by(turns.c.position)).all()
    existing = (_stored_turn(row[:-1]).turn for row in rows if row.submission == submission)
    return (_stored_turn(rows[-1][:-1]) if rows else None), next(existing, None)


def _select_stored(conversation_id: str) -> Select[Any]:
    """Return the query of the turns of a conversation, with their final entries."""
    is_end = (entries.c.turn_id == turns.c.id) & (entries.c.kind == "ended")
    query = _select_turns().add_columns(*entries.c["seq", "data", "html", "html_version"])
    return query.outerjoin(entries, is_end).where(turns.c.conversation_id == conversation_id)


def _stored_turn(row: Sequence[Any]) -> StoredTurn:
    """Convert a row of `_select_stored`."""
    *turn_values, seq, data, html, html_version = row
    batch = None if data is None else Batch(0, seq, (decode(data),))
    return StoredTurn(Turn(*turn_values), batch, html, html_version)


def _find_resent_turn(
    connection: Connection, conversation_id: str, turn_id: str, content: str
) -> Turn | None:
    """Return the turn to send again if it belongs to the conversation and has this message."""
    if not turn_id:
        return None
    condition = (turns.c.id == turn_id) & (turns.c.conversation_id == conversation_id)
    turn = _turn_from_row(connection.execute(_select_turns().where(condition)).first())
    return turn if turn and turn.content == content else None


def _select_turns() -> Select[Any]:
    """Return the query of all turns."""
    return select(
        *turns.c[_COLUMNS],
        *conversations.c["twin_id", "twin_name"],
    ).join(conversations)


def _turn_from_row(row: Row[tuple[object, ...]] | None) -> Turn | None:
    """Convert a row of `_select_turns`."""
    return Turn(**row._mapping) if row else None
