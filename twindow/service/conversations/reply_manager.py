"""Background threads that write replies until they end or are stopped, even without listeners."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from contextlib import suppress

from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.languages import translate_to
from twindow.core.server.process_load import ProcessLoad
from twindow.service.conversations import failures
from twindow.service.conversations.conversations import Conversation
from twindow.service.conversations.lease_keeper import LeaseKeeper
from twindow.service.conversations.leases import Leases
from twindow.service.conversations.messages import Message, Messages
from twindow.service.conversations.queue import QueueAbandoned, ReplyQueue
from twindow.service.conversations.reply import (
    Complete,
    Delta,
    Event,
    Failed,
    Progress,
    Reply,
    ReplyEvents,
)
from twindow.service.conversations.reply_request import (
    find_sources,
    quote_knowledge,
    read_reply,
)
from twindow.service.distress import REPLY as REPLY_TO_DISTRESS
from twindow.service.distress import distress_language
from twindow.service.idempotency import IdempotencyKey
from twindow.service.knowledge import Knowledge, split_pieces
from twindow.service.llm import ModelClient, ModelFailed
from twindow.service.llm.demo import DemoModel
from twindow.service.twins import Twin

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
STORE_TIMEOUT_SECONDS = 30.0
CLOSE_TIMEOUT_SECONDS = 2.0


class ReplyManager:
    """Write replies in threads. Leases allow one reply per conversation across all processes."""

    def __init__(
        self,
        messages: Messages,
        leases: Leases,
        model: ModelClient,
        queue: ReplyQueue,
        knowledge: Knowledge,
        load: ProcessLoad,
    ) -> None:
        self.messages = messages
        self.leases = leases
        self._clock = leases.database.clock
        self.model = model
        self.queue = queue
        self.knowledge = knowledge
        self._load = load
        self._running: dict[str, Reply] = {}
        self._is_closed = False
        self._finish_lock = threading.Lock()
        self.lease_keeper = LeaseKeeper(leases, self._running, self._stop)

    def start(
        self,
        conversation: Conversation,
        twin: Twin,
        content: str,
        idempotency_key: IdempotencyKey | None = None,
    ) -> tuple[Message, ReplyEvents]:
        """Store the message and start its reply; return the message and the events of the reply.

        If the idempotency key was used before, returns the earlier message with its stored reply,
        or that which this process writes, or starts a failed reply again. Raises StillReplying
        while another reply or another process writes, and IdempotencyKeyReused if the earlier
        message differs.
        """
        message, lease_id = self.messages.add(conversation.id, content, idempotency_key)
        if lease_id:
            return message, self._start_thread(message, lease_id, twin).follow
        return message, self._resume(message, twin)

    def _start_thread(self, message: Message, lease_id: str, twin: Twin) -> Reply:
        """Start a thread that writes the reply to a message. This process holds the lease."""
        reply = Reply(message, lease_id, twin, self._clock)
        if self._is_closed:
            self._finish(reply, failures.RESTARTING)
            return reply
        self._running[message.id] = reply
        self._load.measure_while(self._has_running_replies)
        self.lease_keeper.wake()
        threading.Thread(
            target=self._write, args=(reply,), daemon=True, name=f"reply-{reply.message.id}"
        ).start()
        return reply

    def _has_running_replies(self) -> bool:
        return bool(self._running)

    def _resume(self, message: Message, twin: Twin) -> ReplyEvents:
        """Return the stored or running reply to a message, or start it again.

        Raises StillReplying while another reply or another process writes.
        """
        if running_reply := self._running.get(message.id):
            return running_reply.follow
        stored_reply, lease_id = self.messages.find_reply_or_acquire_lease(message)
        if lease_id:
            return self._start_thread(message, lease_id, twin).follow
        assert stored_reply is not None  # noqa: S101
        return lambda _is_disconnected: iter([Complete(stored_reply)])

    def stop(self, message: Message) -> None:
        """Stop the reply to a message, in whichever process it is written."""
        if reply := self._running.get(message.id):
            self._stop(reply)
        else:
            self.leases.request_stop(message.id)

    def stop_all_in(self, conversation: Conversation) -> None:
        """Stop the reply that this process writes in a conversation, if there is one."""
        for reply in list(self._running.values()):
            if reply.message.conversation_id == conversation.id:
                self._stop(reply)

    def close(self) -> None:
        """Stop all replies and store their text; wait at most `CLOSE_TIMEOUT_SECONDS`."""
        self._is_closed = True
        for reply in list(self._running.values()):
            reply.stop(failures.RESTARTING)
            threading.Thread(
                target=self._finish, args=(reply, failures.RESTARTING), daemon=True
            ).start()
        deadline = self._clock.monotonic() + CLOSE_TIMEOUT_SECONDS
        while self._running and self._clock.monotonic() < deadline:
            self._clock.sleep(CLOSE_TIMEOUT_SECONDS / 100)

    def _stop(self, reply: Reply) -> None:
        reply.stop(failures.STOPPED)
        # Do not wait for the thread: the model may take long to send its first byte.
        self._finish(reply, failures.STOPPED)

    def _write(self, reply: Reply) -> None:
        try:
            self._emit_reply(reply)
            self._finish(reply, reply.stop_reason)
        except QueueAbandoned:
            self._finish(reply, reply.stop_reason)
        except ModelFailed as error:
            self._finish(reply, Failed(error.sentence, error.code, error.retry_after))
        except DatabaseUnavailable:
            self._finish(reply, failures.DATABASE_UNAVAILABLE)
        except Exception:
            logger.exception("reply to %s", reply.message.id)
            self._finish(reply, failures.INTERNAL_ERROR)

    def _emit_reply(self, reply: Reply) -> None:
        knowledge = reply.twin.front_matter.knowledge
        is_machine_read = knowledge == "quote" or isinstance(self.model, DemoModel)
        if is_machine_read and (language := distress_language(reply.message.content)):
            self._emit_pieces(reply, split_pieces(translate_to(language, REPLY_TO_DISTRESS)))
            return
        if knowledge:
            reply.emit(Progress("searching"))
        if knowledge == "quote":
            self._emit_pieces(reply, quote_knowledge(reply, self.messages, self.knowledge))
            return
        if knowledge == "prompt":
            find_sources(reply, self.messages, self.knowledge)
        with self.queue.slot(
            lambda ahead: reply.emit(Progress("queued", ahead)),
            lambda: reply.stop_reason is not None,
        ):
            reply.emit(Progress("thinking"))
            self._emit_pieces(reply, read_reply(reply, self.messages, self.model))

    def _emit_pieces(self, reply: Reply, pieces: Iterable[str]) -> None:
        for index, piece in enumerate(pieces):
            if index == 0:
                reply.emit(Progress("writing"))
            reply.emit(Delta(piece))

    def _finish(self, reply: Reply, failure: Failed | None) -> None:
        """Store the text, release the lease and emit the final event; later calls do nothing."""
        with self._finish_lock:
            if reply.is_finished:
                return
            reply.is_finished = True
        try:
            self._store(reply, failure)
        except DatabaseUnavailable:
            # Retry in a separate thread: the caller, e.g. the lease keeper, must not block.
            arguments = (reply, failure, self._clock.monotonic() + STORE_TIMEOUT_SECONDS)
            threading.Thread(target=self._retry_store, args=arguments, daemon=True).start()

    def _retry_store(self, reply: Reply, failure: Failed | None, deadline: float) -> None:
        while self._clock.monotonic() < deadline:
            self._clock.sleep(POLL_SECONDS)
            with suppress(DatabaseUnavailable):
                self._store(reply, failure)
                return
        self._emit_end(reply, failures.STORE_FAILED)

    def _store(self, reply: Reply, failure: Failed | None) -> None:
        """Store the reply and emit the final event. Raises DatabaseUnavailable."""
        final_event: Event = failure or failures.EMPTY_REPLY
        try:
            stored_reply = self.messages.store_reply(
                reply.message,
                reply.lease_id,
                reply.text,
                is_complete=failure is None,
                is_cut_off=reply.is_cut_off,
                usage=reply.usage,
                sources=reply.sources,
            )
        except DatabaseUnavailable:
            raise
        except Exception:
            logger.exception("reply to %s", reply.message.id)
            self._emit_end(reply, failures.STORE_FAILED)
            return
        if failure is None and reply.text:
            # None means that another process took over the lease of this reply.
            final_event = Complete(stored_reply) if stored_reply else failures.STORE_FAILED
        elif failure is failures.RESTARTING and stored_reply:
            final_event = failures.RESTARTING_TEXT_SAVED
        self._emit_end(reply, final_event)

    def _emit_end(self, reply: Reply, final_event: Event) -> None:
        # Another thread may already write a new reply to the same message.
        if self._running.get(reply.message.id) is reply:
            del self._running[reply.message.id]
        reply.emit(final_event)
