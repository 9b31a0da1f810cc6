"""Submissions: adding each message of a form exactly once, even if it is submitted again.

A turn is committed before its message is sent to the service.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, insert, update
from sqlalchemy.exc import IntegrityError

from twindow.chat.conversations import (
    Conversation,
    ConversationNotFound,
    conversation_from_row,
    owned_by,
    select_conversations,
)
from twindow.chat.limits import (
    FIRST_MESSAGE_REQUESTS,
    Limits,
    Sender,
    SendingBlocked,
    SendingStatus,
)
from twindow.chat.log import Log, ReplyState, build_reply
from twindow.chat.schema import conversations, turns
from twindow.chat.titles import make_title
from twindow.chat.turns import StoredTurn, Turn, read_newest_and_submitted, read_turn
from twindow.core.db.database import Database
from twindow.core.languages import N_
from twindow.core.secrets import keyed_hash
from twindow.core.text_folding import join_terms

PORTAL_BUSY = N_("Many people are waiting for replies right now. Try again in a minute.")


@dataclass(frozen=True, slots=True)
class SubmittedMessage:
    """A message that a form submits.

    `idempotency_key` is that of the form. `replaced_turn_id` is the turn of which the message is
    another version, or "": it must be the newest one. Otherwise, `followed_turn_id` is the version
    of the newest turn that is shown; "" for the newest.
    """

    content: str
    idempotency_key: str
    replaced_turn_id: str = ""
    followed_turn_id: str = ""


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


class ReplyInProgress(Exception):
    """Raised when the reply to the previous turn, `turn_id`, is still running."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(turn_id)
        self.turn_id = turn_id


class TurnNotNewest(Exception):
    """Raised for another version of a turn that is no longer the newest of its conversation."""


class Submissions:
    """Acceptance of submitted messages: each becomes one turn.

    `secret_key` keys the hashes that identify submissions.
    """

    def __init__(self, database: Database, log: Log, limits: Limits, secret_key: str) -> None:
        self.database = database
        self.log = log
        self.limits = limits
        self._secret_key = secret_key

    def start_conversation(
        self, sender: Sender, twin_name: str, message: SubmittedMessage
    ) -> AddedTurn:
        """Add a conversation and its first turn.

        Returns the existing turn for a repeated submission (same person, twin, idempotency key and
        content). Raises SendingBlocked, ConversationNotFound and DatabaseUnavailable.
        """
        submission = self._hash(sender.person, sender.twin_id, message)
        try:
            return self._start_conversation(sender, twin_name, message, submission)
        except IntegrityError:
            # Another process has just inserted the same submission: return its turn.
            with self.database.read() as connection:
                if existing := _find_existing(connection, submission):
                    return existing
            raise

    def _start_conversation(
        self, sender: Sender, twin_name: str, message: SubmittedMessage, submission: str
    ) -> AddedTurn:
        message_terms = join_terms(message.content)
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
                title=make_title(message.content),
                service_id=None,
                created_at=now,
                updated_at=now,
            )
            values = asdict(conversation) | {"title_terms": join_terms(conversation.title)}
            connection.execute(insert(conversations).values(values))
            turn = Turn(
                id=turn_id,
                conversation_id=conversation.id,
                position=1,
                slot=1,
                version=1,
                follows=0,
                content=message.content,
                idempotency_key=turn_id,
                created_at=now,
                twin_id=sender.twin_id,
                twin_name=twin_name,
                newest_id=turn_id,
            )
            self._insert(connection, turn, submission, message_terms)
            return AddedTurn(conversation, turn, is_new=True)

    def add_turn(
        self,
        conversation: Conversation,
        message: SubmittedMessage,
        *,
        visitor_address: str | None = None,
    ) -> AddedTurn:
        """Add a turn to a conversation, and unarchive the conversation.

        `visitor_address` is as in `Sender`. Returns the existing turn for a repeated submission.
        Raises ReplyInProgress, TurnNotNewest, SendingBlocked, ConversationNotFound and
        DatabaseUnavailable.
        """
        submission = self._hash(conversation.person, conversation.id, message)
        sender = Sender(conversation.person, conversation.twin_id, visitor_address)
        try:
            return self._add_turn(conversation.id, sender, message, submission)
        except ReplyInProgress as error:
            if not self.log.interrupt_abandoned([error.turn_id]):
                raise
        return self._add_turn(conversation.id, sender, message, submission)

    def _add_turn(
        self, conversation_id: str, sender: Sender, message: SubmittedMessage, submission: str
    ) -> AddedTurn:
        message_terms = join_terms(message.content)
        is_own = owned_by(conversation_id, sender.person)
        with self._reserve_turn_id() as turn_id, self.database.write(durable=True) as connection:
            query = select_conversations(is_own).with_for_update()
            conversation = conversation_from_row(connection.execute(query).first())
            if conversation is None:
                raise ConversationNotFound
            newest, existing = read_newest_and_submitted(connection, conversation_id, submission)
            if existing:
                return AddedTurn(conversation, existing, is_new=False)
            if newest and not newest.batch:
                raise ReplyInProgress(newest.turn.id)
            is_version = bool(message.replaced_turn_id)
            if is_version and (newest is None or newest.turn.id != message.replaced_turn_id):
                raise TurnNotNewest
            now = self.database.now(connection)
            requests = 1 if conversation.service_id else FIRST_MESSAGE_REQUESTS
            sending_status = self.limits.accept_message(connection, sender, now, requests=requests)
            turn = Turn(
                id=turn_id,
                conversation_id=conversation_id,
                position=newest.turn.position + 1 if newest else 1,
                slot=newest.turn.slot + 1 if newest else 1,
                version=1,
                follows=_followed_position(connection, newest, message),
                content=message.content,
                idempotency_key=turn_id,
                created_at=now,
                twin_id=conversation.twin_id,
                twin_name=conversation.twin_name,
                newest_id=turn_id,
            )
            values: dict[str, object] = {"updated_at": now, "archived": False}
            if newest and is_version:
                turn = _as_version(turn, newest)
                # A title that was made from the first message follows its correction.
                if turn.slot == 1 and conversation.title == make_title(newest.turn.content):
                    title = make_title(turn.content)
                    conversation = replace(conversation, title=title)
                    values |= {"title": title, "title_terms": join_terms(title)}
            connection.execute(update(conversations).where(is_own).values(values))
            self._insert(connection, turn, submission, message_terms)
            return AddedTurn(conversation, turn, is_new=True, sending_status=sending_status)

    def _hash(self, person: str, target: str, message: SubmittedMessage) -> str:
        """Return the hash of a submission to a conversation, or to a twin for a new one."""
        parts = [person, target, message.idempotency_key, message.content]
        parts += [message.replaced_turn_id] if message.replaced_turn_id else []
        return keyed_hash(self._secret_key, "turn", *parts)

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
        self, connection: Connection, turn: Turn, submission: str, message_terms: str
    ) -> None:
        if self.log.is_full:
            raise SendingBlocked(PORTAL_BUSY, None)
        values = {name: value for name, value in asdict(turn).items() if name in turns.c}
        values |= {"submission": submission, "message_terms": message_terms}
        connection.execute(insert(turns).values(values | {"worker": self.log.claim(turn.id)}))


def _find_existing(connection: Connection, submission: str) -> AddedTurn | None:
    """Return the turn of an earlier submission of the same form. Raises ConversationNotFound."""
    turn = read_turn(connection, turns.c.submission == submission)
    if turn is None:
        return None
    query = select_conversations(conversations.c.id == turn.conversation_id)
    conversation = conversation_from_row(connection.execute(query).first())
    if conversation is None or conversation.deleted_at is not None:
        raise ConversationNotFound
    return AddedTurn(conversation, turn, is_new=False)


def _followed_position(
    connection: Connection, newest: StoredTurn | None, message: SubmittedMessage
) -> int:
    """Return the position of the version that is shown in the newest slot."""
    if newest is None:
        return 0
    is_version = turns.c.conversation_id == newest.turn.conversation_id
    is_version &= turns.c.slot == newest.turn.slot
    followed_id = message.followed_turn_id
    followed = followed_id and read_turn(connection, is_version & (turns.c.id == followed_id))
    return (followed or newest.turn).position


def _as_version(turn: Turn, newest: StoredTurn) -> Turn:
    """Return a new turn as the next version of the newest one, whose reply has ended.

    It takes the place of a reply that has ended without text. A message that may not have arrived
    keeps its idempotency key.
    """
    replaced, reply = newest.turn, build_reply(newest.batch) if newest.batch else None
    has_text = bool(reply and reply.text)
    is_failed = reply and reply.state in (ReplyState.FAILED, ReplyState.INTERRUPTED)
    is_resend = is_failed and turn.content == replaced.content
    return replace(
        turn,
        slot=replaced.slot,
        version=replaced.version + has_text,
        follows=replaced.follows,
        idempotency_key=replaced.idempotency_key if is_resend else turn.idempotency_key,
        version_count=replaced.version + has_text,
        previous_id=replaced.id if has_text else replaced.previous_id,
    )
