"""Whoever produces a reply: asks the service, once, and writes what comes into the log."""

from __future__ import annotations

import logging
import threading
import time

import twinapi
from chat import entries
from chat.conversations import Conversation, Conversations
from chat.entries import Ended, State
from chat.log import Log
from chat.turns import Turn
from database import DatabaseUnavailable
from twinapi import ReplyStream, TwinApiError

logger = logging.getLogger(__name__)

EMPTY = "The reply was empty."
BUG = "Something went wrong here while the reply came. What came so far is kept."
GONE = (
    "This conversation, or its twin, is no longer there at the service. What was said here is kept."
)
CONFLICT_PAUSES = (0.3, 0.7, 1.5)
NOT_SENT = "Your message was not sent."
SAVE_RETRY_SECONDS = 1.0


class Producer:
    """Produce replies outside of any request: a closed tab changes nothing."""

    def __init__(self, conversations: Conversations, log: Log, client: twinapi.Client) -> None:
        self.conversations = conversations
        self.log = log
        self.client = client

    def reply_later(self, conversation: Conversation, turn: Turn) -> None:
        """Begin the reply to a turn that this process has just added, and return at once."""
        threading.Thread(
            target=self.reply_now, args=(conversation, turn), daemon=True, name=f"turn-{turn.id}"
        ).start()

    def reply_now(self, conversation: Conversation, turn: Turn) -> None:
        """Write the whole reply into the log, always with an end."""
        try:
            self._end(turn, self._reply(conversation, turn))
        finally:
            # Whatever happened: a log that nobody writes to must not look as if somebody did.
            self.log.drop(turn.id)

    def _reply(self, conversation: Conversation, turn: Turn) -> Ended:
        try:
            return self._ask(conversation, turn)
        except TwinApiError as error:
            return _ended(error)
        except Exception:
            logger.exception("turn %s", turn.id)
            return Ended(State.FAILED, sentence=BUG, perhaps_received=True)

    def _end(self, turn: Turn, ended: Ended) -> None:
        while True:
            try:
                self.log.end(turn.id, ended)
            except DatabaseUnavailable:
                logger.warning("turn %s cannot be stored at the moment", turn.id)
                time.sleep(SAVE_RETRY_SECONDS)
            else:
                return

    def _ask(self, conversation: Conversation, turn: Turn) -> Ended:
        service_id = conversation.service_id or self._create(conversation)
        for pause in CONFLICT_PAUSES:
            try:
                return self._send(service_id, turn)
            except twinapi.Conflict:
                # A reply that was stopped just now is still ending there; nothing was accepted.
                time.sleep(pause)
        return self._send(service_id, turn)

    def _send(self, service_id: str, turn: Turn) -> Ended:
        with self.client.stream_message(service_id, turn.content) as stream:
            if not self.log.when_ended(turn.id, stream.close):
                return Ended(State.STOPPED)
            return self._relay(turn, stream)

    def _create(self, conversation: Conversation) -> str:
        try:
            created = self.client.create_conversation(conversation.twin_id, conversation.title)
        except TwinApiError as error:
            error.perhaps_received = False  # a conversation, at the most, but no message
            raise
        self.conversations.name(conversation.id, created.id)
        return created.id

    def _relay(self, turn: Turn, stream: ReplyStream) -> Ended:
        for event in stream:
            match event:
                case twinapi.Progress(text, percent):
                    self.log.append(turn.id, entries.Progress(text, percent))
                case twinapi.Delta(text):
                    self.log.append(turn.id, entries.Delta(text))
                case twinapi.Complete(text):
                    if text or self.log.has_text(turn.id):
                        return Ended(State.COMPLETE, text=text or "")
                    return Ended(State.FAILED, sentence=EMPTY, perhaps_received=True)
                case twinapi.Failed(sentence):
                    return Ended(State.FAILED, sentence=sentence, perhaps_received=True)
        return Ended(State.STOPPED)


def _ended(error: TwinApiError) -> Ended:
    gone = isinstance(error, twinapi.NotFound)
    sentence = GONE if gone else error.sentence
    return Ended(
        State.INTERRUPTED if isinstance(error, twinapi.StreamError) else State.FAILED,
        sentence=sentence if gone or error.perhaps_received else f"{sentence} {NOT_SENT}",
        perhaps_received=error.perhaps_received,
        gone=gone,
        retry_at=time.time() + error.retry_after
        if isinstance(error, twinapi.RateLimited)
        else None,
    )
