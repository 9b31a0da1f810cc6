"""Reply worker: sends a message (again only after a conflict), and writes the reply to the log."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from twindow import twinapi
from twindow.chat.catalogue import TwinCatalogue
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.limits import ServiceQuota
from twindow.chat.log import INTERRUPTED_BEFORE_SENDING, Ended, Log, ReplyState
from twindow.chat.submissions import AddedTurn
from twindow.chat.turns import Turn
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.languages import N_
from twindow.core.text_folding import is_visible
from twindow.core.urls import without_credentials
from twindow.twinapi import ReplyStream, TwinApiError

logger = logging.getLogger(__name__)

MAX_LOGGED_CHARACTERS = 300
REPLY_NOT_SAVED_YET = N_("The reply is not saved yet: the database is not responding")


class TurnEnded(Exception):
    """Raised instead of sending a request: the turn has ended, or the process is shutting down."""


class ReplyWorker:
    """Writer of replies, in threads that continue after the browser has disconnected."""

    # A stopped reply ends within seconds. After these delays, the service's Retry-After counts.
    conflict_retry_delays: tuple[float, ...] = (0.3, 0.7, 1.5)
    conflict_timeout_seconds = 600.0
    stop_poll_seconds = 1.0
    save_retry_seconds = 1.0
    save_timeout_seconds = 60.0

    def __init__(
        self,
        conversations: Conversations,
        log: Log,
        twins: TwinCatalogue,
        quota: ServiceQuota,
    ) -> None:
        self.conversations = conversations
        self.log = log
        self._clock = log.database.clock
        self.twins = twins
        self.client = twins.client
        self.quota = quota
        self._has_ignored_text = False

    def start_reply(self, added: AddedTurn) -> None:
        """Start the reply to a turn that this process has just added, and return at once."""
        threading.Thread(
            target=self.write_reply,
            args=(added.conversation, added.turn),
            daemon=True,
            name=f"turn-{added.turn.id}",
        ).start()

    def write_reply(self, conversation: Conversation, turn: Turn) -> None:
        """Write the reply to the log, and end the turn in any case."""
        try:
            self._save_end(turn, self._request_reply(conversation, turn))
        finally:
            # Whatever happens, a log without a worker must not appear to be running.
            self.log.release(turn.id)

    def _request_reply(self, conversation: Conversation, turn: Turn) -> Ended:
        try:
            return self._send_with_retries(conversation, turn)
        except TurnEnded:
            return INTERRUPTED_BEFORE_SENDING if self.log.is_closing else Ended(ReplyState.STOPPED)
        except TwinApiError as error:
            return self._end_for_error(turn, error)
        except DatabaseUnavailable:  # the id of the conversation cannot be stored
            return Ended(ReplyState.FAILED, code="database_unreadable")
        except Exception:
            logger.exception("turn %s: unexpected error", turn.id)
            return Ended(ReplyState.FAILED, code="internal_error", perhaps_received=True)

    def _save_end(self, turn: Turn, ended: Ended) -> None:
        deadline = self._clock.monotonic() + self.save_timeout_seconds
        while self._clock.monotonic() < deadline:
            if not self.log.is_writing(turn.id):
                return  # a shutdown, or the person who has stopped the reply, has ended it
            try:
                self.log.end(turn.id, ended)
            except DatabaseUnavailable:
                logger.warning("turn %s: could not store the end of the reply, will retry", turn.id)
                self.log.append(turn.id, twinapi.Progress(REPLY_NOT_SAVED_YET))
                self._clock.sleep(self.save_retry_seconds)
            else:
                return
        logger.error("turn %s: the end of the reply could not be stored yet", turn.id)
        unsaved_end = Ended(
            ReplyState.INTERRUPTED, ended.text, code="reply_not_saved", perhaps_received=True
        )
        self.log.end_later(turn.id, ended, shown=unsaved_end)

    def _send_with_retries(self, conversation: Conversation, turn: Turn) -> Ended:
        """Send the message, again after a conflict.

        The service is ending a stopped reply, or another of its processes still writes the reply to
        this message. Then it says when to ask again.
        """
        service_id = conversation.service_id or self._create_conversation(conversation, turn)
        deadline = self._clock.monotonic() + self.conflict_timeout_seconds
        delays = iter(self.conflict_retry_delays)
        conflict: twinapi.Conflict | None = None
        delay: float | None = None
        while True:
            try:
                self._pause(turn, delay or 0)
                ended = self._stream_reply(service_id, turn)
            except TurnEnded:
                self._stop_at_service(conflict.cancel_url if conflict else None)
                raise
            except twinapi.Conflict as error:
                delay = next(delays, error.retry_after)
                # The service may be writing the reply to this message.
                error.perhaps_received = error.retry_after is not None
                conflict = error
                if delay is None or self._clock.monotonic() + delay > deadline:
                    raise
            except TwinApiError as error:
                error.perhaps_received |= bool(conflict and conflict.perhaps_received)
                raise
            else:
                if conflict and ended.state is ReplyState.STOPPED:
                    self._stop_at_service(conflict.cancel_url)
                return ended

    def _pause(self, turn: Turn, seconds: float) -> None:
        """Wait before the next request. Raises TurnEnded if the turn ends meanwhile."""
        resumes_at = self._clock.monotonic() + seconds
        while (rest := resumes_at - self._clock.monotonic()) > 0:
            self._check_turn(turn)
            self._clock.sleep(min(rest, self.stop_poll_seconds))

    def _check_turn(self, turn: Turn) -> None:
        """Check directly before a request that it may be sent. Raises TurnEnded."""
        if not self.log.allows_requests(turn.id):
            raise TurnEnded

    def _stream_reply(self, service_id: str, turn: Turn) -> Ended:
        with self.client.stream_message(
            service_id,
            turn.content,
            idempotency_key=turn.idempotency_key,
            before_request=lambda: self._check_turn(turn),
        ) as stream:
            # When a person stops the reply, in any process, the log closes the stream, and the loop
            # over its events ends without an end of the service.
            if not self.log.set_abort(turn.id, stream.close):
                raise TurnEnded
            try:
                ended = self._relay_events(turn, service_id, stream)
                if ended.state is ReplyState.STOPPED:
                    self._stop_at_service(stream.cancel_url)
                return ended
            finally:
                if stream.skipped_count:
                    logger.warning(
                        "turn %s: %d events could not be read", turn.id, stream.skipped_count
                    )

    def _stop_at_service(self, cancel_url: str | None) -> None:
        """Send `DELETE` to the URL that cancels the reply, if the service has announced one.

        Closing the connection does not cancel the reply: the portal may just be restarting.
        """
        if cancel_url and not self.log.is_closing:
            with suppress(TwinApiError):
                self.client.stop_reply(cancel_url)

    def _create_conversation(self, conversation: Conversation, turn: Turn) -> str:
        self._check_turn(turn)
        try:
            created = self.client.create_conversation(conversation.twin_id, conversation.title)
        except TwinApiError as error:
            error.perhaps_received = False  # the message has not been sent yet
            raise
        return self.conversations.set_service_id(conversation.id, created.id, created.delete_url)

    def _relay_events(self, turn: Turn, service_id: str, stream: ReplyStream) -> Ended:
        for event in stream:
            match event:
                case twinapi.Progress() | twinapi.Delta():
                    self.log.append(turn.id, event)
                case twinapi.Complete() as complete:
                    if complete.is_text_ignored:
                        self._warn_of_ignored_text(turn)
                    if complete.conversation_id not in (None, service_id):
                        logger.warning("turn %s: the reply names another conversation", turn.id)
                    if is_visible(complete.text or self.log.text(turn.id)):
                        return Ended(
                            ReplyState.COMPLETE,
                            text=complete.text or "",
                            code="reply_cut_off" if complete.is_cut_off else "",
                            sources=complete.sources,
                        )
                    if not self.log.is_writing(turn.id):  # it was ended, with its text
                        return Ended(ReplyState.STOPPED)
                    logger.warning("turn %s: the reply is empty", turn.id)
                    return Ended(ReplyState.FAILED, code="reply_empty", perhaps_received=True)
                case twinapi.Failed(detail, code):
                    reason = _loggable(detail or code, turn)
                    logger.warning("turn %s: the service reported an error: %s", turn.id, reason)
                    return _end_for_reported_error(detail, code)
        return Ended(ReplyState.STOPPED)

    def _warn_of_ignored_text(self, turn: Turn) -> None:
        """Log once for each service that the text at the end of a reply is not the reply."""
        if not self._has_ignored_text:
            self._has_ignored_text = True
            url = without_credentials(self.client.base_url)
            reason = "the text in `complete` is not the reply, and is ignored"
            logger.warning("turn %s: %s: %s", turn.id, url, reason)

    def _end_for_error(self, turn: Turn, error: TwinApiError) -> Ended:
        self._log_error(turn, error)
        is_gone = False
        code, params = error.code, error.params
        retry_at = None
        match error:
            case twinapi.NotFound() if self.twins.is_gone(turn.twin_id):
                code = "twin_gone"
            case twinapi.NotFound():
                code, is_gone = "conversation_gone", True
            case twinapi.StreamTooLarge() if so_far := self.log.text(turn.id):
                code, params = "reply_too_long", {"count": str(len(so_far))}
            case twinapi.RateLimited(retry_after=retry_after):
                retry_at = self.quota.record_refusal(retry_after)
        return Ended(
            ReplyState.INTERRUPTED if isinstance(error, twinapi.StreamError) else ReplyState.FAILED,
            code=code,
            params=params,
            perhaps_received=error.perhaps_received,
            is_conversation_gone=is_gone,
            is_too_long=isinstance(error, twinapi.InvalidRequest) and error.status in (413, 422),
            retry_at=retry_at,
        )

    def _log_error(self, turn: Turn, error: TwinApiError) -> None:
        error.detail = _loggable(error.detail, turn)
        url = without_credentials(self.client.base_url)
        if isinstance(error, twinapi.Unauthorized):
            logger.error("turn %s: %s: %s. Check TWINDOW_API_KEY.", turn.id, url, error)
        else:
            logger.warning("turn %s: %s: %s", turn.id, url, error)


def _loggable(reason: str, turn: Turn) -> str:
    """Return a reason of the service for the log, without the person's message."""
    if len(turn.content) > 3:  # a shorter one may be a part of any word
        reason = reason.replace(turn.content, "[message]")
    return reason[:MAX_LOGGED_CHARACTERS]


def _end_for_reported_error(detail: str, code: str) -> Ended:
    """Return the end of a reply for which the service has sent an error event."""
    if code == "too_long":
        return Ended(
            ReplyState.FAILED, code="message_too_long", perhaps_received=True, is_too_long=True
        )
    if not detail or "Traceback (" in detail:
        return Ended(ReplyState.FAILED, code="service_error", perhaps_received=True)
    return Ended(
        ReplyState.FAILED,
        code="service_error_with_reason",
        params={"reason": detail},
        perhaps_received=True,
    )
