"""Whoever produces a reply: asks the service, once, and writes what comes into the log."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

import twinapi
from chat.conversations import Conversation, Conversations
from chat.log import entries
from chat.log.entries import Ended, State
from chat.log.log import Log
from chat.missed_replies import History
from chat.quota import Allowance
from chat.turns import Turn
from core.database import DatabaseUnavailable
from core.languages import N_, Form
from twinapi import ReplyStream, TwinApiError

logger = logging.getLogger(__name__)

CUT_OFF = N_("This reply was cut off: it is as long as a reply may be here. Ask for the rest.")
EMPTY = N_("The reply was empty.")
BUG = N_("Something went wrong here while the reply came. What came so far is kept.")
GONE = N_(
    "This conversation, or its twin, is no longer there at the service. What was said here is kept."
)
NO_DATABASE = N_("The portal could not look into its own database for a moment.")
NOT_SENT = N_("Your message was not sent.")
NOT_SAVED_YET = N_("The reply is not saved yet, because the database does not answer")
NOT_SAVED = N_(
    "The reply could not be saved, because the database did not answer for too long. "
    "Copy what you need: it may be gone when you come back."
)
TOO_MUCH_SAID = N_("Your message is too long for the model that answers here. Try a shorter one.")
TOO_LONG = Form(
    N_("The reply is too long and was cut off here. Its first %(count)s characters are kept.")
)


class Producer:
    """Produce replies outside of any request: a closed tab changes nothing."""

    conflict_pauses: tuple[float, ...] = (0.3, 0.7, 1.5)
    save_retry_seconds = 1.0
    save_seconds = 60.0

    def __init__(
        self,
        conversations: Conversations,
        log: Log,
        client: twinapi.Client,
        allowance: Allowance,
        history: History,
    ) -> None:
        self.conversations = conversations
        self.log = log
        self._clock = log.database.clock
        self.client = client
        self.allowance = allowance
        self.history = history

    def reply_later(self, conversation: Conversation, turn: Turn, again: Turn | None) -> None:
        """Begin the reply to a turn that this process has just added, and return at once.

        `again` is an earlier turn that this one repeats, if the service may have received it.
        """
        threading.Thread(
            target=self.reply_now,
            args=(conversation, turn, again),
            daemon=True,
            name=f"turn-{turn.id}",
        ).start()

    def reply_now(self, conversation: Conversation, turn: Turn, again: Turn | None = None) -> None:
        """Write the whole reply into the log, always with an end."""
        try:
            self._end(turn, self._reply(conversation, turn, again))
        finally:
            # Whatever happened: a log that nobody writes to must not look as if somebody did.
            self.log.drop(turn.id)

    def _reply(self, conversation: Conversation, turn: Turn, again: Turn | None) -> Ended:
        try:
            return self._ask(conversation, turn, again)
        except TwinApiError as error:
            return self._ended(turn, error)
        except DatabaseUnavailable:
            return Ended(State.FAILED, sentence=f"{NO_DATABASE} {NOT_SENT}")
        except Exception:
            logger.exception("turn %s", turn.id)
            return Ended(State.FAILED, sentence=BUG, perhaps_received=True)

    def _end(self, turn: Turn, ended: Ended) -> None:
        give_up = self._clock.monotonic() + self.save_seconds
        while self._clock.monotonic() < give_up:
            try:
                self.log.end(turn.id, ended)
            except DatabaseUnavailable:
                logger.warning("turn %s cannot be stored at the moment", turn.id)
                self.log.append(turn.id, entries.Progress(NOT_SAVED_YET))
                self._clock.sleep(self.save_retry_seconds)
            else:
                return
        logger.error("turn %s could not be stored", turn.id)
        lost = Ended(State.INTERRUPTED, ended.text, sentence=NOT_SAVED, perhaps_received=True)
        self.log.give_up(turn.id, lost)

    def _ask(self, conversation: Conversation, turn: Turn, again: Turn | None) -> Ended:
        service_id = conversation.service_id or self._create(conversation)
        for pause in self.conflict_pauses:
            try:
                return self._hear(service_id, turn, again)
            except twinapi.Conflict:
                # A reply that was stopped just now is still ending there; nothing was accepted.
                self._clock.sleep(pause)
        return self._hear(service_id, turn, again)

    def _hear(self, service_id: str, turn: Turn, again: Turn | None) -> Ended:
        if again and (came := self.history.reply_to(again, service_id)):
            return Ended(State.COMPLETE, text=came)
        return self._send(service_id, turn)

    def _send(self, service_id: str, turn: Turn) -> Ended:
        with self.client.stream_message(service_id, turn.content, once=turn.once) as stream:
            if not self.log.when_ended(turn.id, stream.close):
                return Ended(State.STOPPED)
            try:
                ended = self._relay(turn, service_id, stream)
                if ended.state is State.STOPPED:
                    self._stop(stream)
                return ended
            finally:
                if stream.skipped:
                    logger.warning("turn %s: %d events could not be read", turn.id, stream.skipped)

    def _stop(self, stream: ReplyStream) -> None:
        """Let the service know that nobody wants the rest; one that hangs up may want it still."""
        if stream.place and not self.log.closing:
            with suppress(TwinApiError):
                self.client.stop_reply(stream.place)

    def _create(self, conversation: Conversation) -> str:
        try:
            created = self.client.create_conversation(conversation.twin_id, conversation.title)
        except TwinApiError as error:
            error.perhaps_received = False  # a conversation, at the most, but no message
            raise
        return self.conversations.name(conversation.id, created.id)

    def _relay(self, turn: Turn, service_id: str, stream: ReplyStream) -> Ended:
        for event in stream:
            match event:
                case twinapi.Progress(text, percent):
                    self.log.append(turn.id, entries.Progress(text, percent))
                case twinapi.Delta(text):
                    self.log.append(turn.id, entries.Delta(text))
                case twinapi.Complete(text, other, cut_off):
                    if other not in (None, service_id):
                        logger.warning("turn %s: the reply names another conversation", turn.id)
                    self.allowance.accepted()
                    if text or self.log.length(turn.id):
                        note = CUT_OFF if cut_off else ""
                        return Ended(State.COMPLETE, text=text or "", sentence=note)
                    return Ended(State.FAILED, sentence=EMPTY, perhaps_received=True)
                case twinapi.Failed(sentence, code):
                    logger.warning("turn %s: the service gave up: %r", turn.id, sentence)
                    too_long = code == "too_long"
                    return Ended(
                        State.FAILED,
                        sentence=TOO_MUCH_SAID if too_long else sentence,
                        perhaps_received=True,
                        too_long=too_long,
                    )
        return Ended(State.STOPPED)

    def _ended(self, turn: Turn, error: TwinApiError) -> Ended:
        logger.warning("turn %s: %s: %r", turn.id, type(error).__name__, error.sentence)
        gone = isinstance(error, twinapi.NotFound)
        sentence = GONE if gone else error.sentence
        retry_at = None
        match error:
            case twinapi.StreamTooLarge() if kept := self.log.length(turn.id):
                sentence = TOO_LONG.filled(count=f"{kept:,}")
            case twinapi.RateLimited(retry_after=seconds):
                retry_at = self.allowance.refused(seconds)
            case twinapi.Forbidden():
                self.allowance.forbidden()
                logger.error("turn %s: the portal's key may only read", turn.id)
            case twinapi.Unauthorized():
                logger.error("turn %s: the service refused the portal's key", turn.id)
        return Ended(
            State.INTERRUPTED if isinstance(error, twinapi.StreamError) else State.FAILED,
            sentence=sentence if gone or error.perhaps_received else f"{sentence} {NOT_SENT}",
            perhaps_received=error.perhaps_received,
            gone=gone,
            too_long=isinstance(error, twinapi.Invalid) and error.status == 413,
            retry_at=retry_at,
        )
