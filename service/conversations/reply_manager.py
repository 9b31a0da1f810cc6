"""Background threads that write replies, with or without listeners, until end or stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress

from core.database import DatabaseUnavailable
from service.conversations import prompt as context
from service.conversations.conversations import Conversation
from service.conversations.lease_keeper import LeaseKeeper
from service.conversations.leases import Leases, LeaseState
from service.conversations.messages import Message, Messages, StillReplying
from service.conversations.queue import QueueAbandoned, ReplyQueue
from service.conversations.reply import Complete, Delta, Event, Failed, Progress, Reply
from service.idempotency import IdempotencyKey
from service.llm import CompletionStream, ModelClient, ModelFailed, PromptTooLong
from service.twins import Twin

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
STORE_TIMEOUT_SECONDS = 30.0
CLOSE_TIMEOUT_SECONDS = 2.0
MAX_HISTORY_MESSAGES = 200
MAX_PROMPT_ATTEMPTS = 4

INTERNAL_ERROR = Failed("Something went wrong in the service.", "internal_error")
EMPTY_REPLY = Failed("The model returned an empty reply.")
INTERRUPTED = Failed("The reply was interrupted. Send the message again.")
STOPPED = Failed("The reply was stopped.", "stopped")
RESTARTING = Failed(
    "The service is restarting. The text so far has been saved.", "restarting", retry_after=5
)
DATABASE_UNAVAILABLE = Failed(
    "The service is temporarily unavailable. Try again soon.", "unavailable"
)
STORE_FAILED = Failed("The reply couldn't be saved.", "unavailable")
MESSAGE_TOO_LONG = "The message is too long for this model. Try a shorter one."

ReplyEvents = Callable[[Callable[[], bool]], Iterator[Event | None]]


class ReplyManager:
    """Write replies in threads, at most one per conversation (lease) across all processes."""

    def __init__(
        self, messages: Messages, leases: Leases, model: ModelClient, queue: ReplyQueue | None
    ) -> None:
        self.messages = messages
        self.leases = leases
        self._clock = leases.database.clock
        self.model = model
        self.queue = queue
        self._running: dict[str, Reply] = {}
        self._finish_lock = threading.Lock()
        self.lease_keeper = LeaseKeeper(leases, self._running, self._stop)

    def start(
        self,
        conversation: Conversation,
        twin: Twin,
        content: str,
        idempotency_key: IdempotencyKey | None = None,
    ) -> tuple[Message, ReplyEvents]:
        """Store the message and start its reply; return the message and a function to follow it.

        A known idempotency key returns its message with the stored or running reply, or retries a
        failed one. Raises StillReplying, and IdempotencyKeyReused if the earlier message differs.
        """
        message, lease_id = self.messages.add(conversation.id, content, idempotency_key)
        if lease_id:
            return message, self._start_thread(message, lease_id, twin).follow
        return message, self._resume(message, twin)

    def _start_thread(self, message: Message, lease_id: str, twin: Twin) -> Reply:
        """Start a thread that writes the reply to a message. This process holds the lease."""
        reply = Reply(message, lease_id, twin, self._clock)
        self._running[message.id] = reply
        self.lease_keeper.wake()
        threading.Thread(target=self._write, args=(reply,), daemon=True, name="reply").start()
        return reply

    def _resume(self, message: Message, twin: Twin) -> ReplyEvents:
        """Return the stored or running reply to a message, or start it again."""
        if running_reply := self._running.get(message.id):
            return running_reply.follow
        stored_reply, lease_id = self.messages.find_reply_or_acquire_lease(message)
        if stored_reply:
            return _single_event(Complete(stored_reply))
        if lease_id:
            return self._start_thread(message, lease_id, twin).follow
        return lambda is_disconnected: self._follow_remote(message, twin, is_disconnected)

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
        for reply in list(self._running.values()):
            reply.stop(RESTARTING)
            threading.Thread(target=self._finish, args=(reply, RESTARTING), daemon=True).start()
        deadline = self._clock.monotonic() + CLOSE_TIMEOUT_SECONDS
        while self._running and self._clock.monotonic() < deadline:
            self._clock.sleep(CLOSE_TIMEOUT_SECONDS / 100)

    def _stop(self, reply: Reply) -> None:
        reply.stop(STOPPED)
        self._finish(reply, STOPPED)  # at once: the model may take long to send its first byte

    def _write(self, reply: Reply) -> None:
        try:
            with self._queue_slot(reply):
                reply.emit(Progress("thinking"))
                has_content = False
                for piece in reply.read_pieces(self._request_reply(reply)):
                    if not has_content:
                        reply.emit(Progress("writing"))
                    has_content = True
                    reply.emit(Delta(piece))
            self._finish(reply, reply.stop_reason)
        except QueueAbandoned:
            self._finish(reply, reply.stop_reason)
        except ModelFailed as error:
            self._finish(reply, Failed(error.sentence, error.code, error.retry_after))
        except DatabaseUnavailable:
            self._finish(reply, DATABASE_UNAVAILABLE)
        except Exception:
            logger.exception("reply to %s", reply.message.id)
            self._finish(reply, INTERNAL_ERROR)

    def _queue_slot(self, reply: Reply) -> AbstractContextManager[None]:
        if self.queue is None:
            return nullcontext()
        return self.queue.slot(
            lambda ahead: reply.emit(Progress("queued", ahead)),
            lambda: reply.stop_reason is not None,
        )

    def _request_reply(self, reply: Reply) -> CompletionStream:
        """Request the reply; halve the window while the prompt is too long. Raises ModelFailed."""
        front_matter = reply.twin.front_matter
        history = self.messages.recent_history(reply.message, MAX_HISTORY_MESSAGES)
        if not history:
            raise ModelFailed("The conversation was deleted.")
        window = max(self.model.window - front_matter.max_tokens, self.model.window // 4)
        count_tokens = self.model.token_counter(front_matter.model)
        for shrink in range(MAX_PROMPT_ATTEMPTS):
            prompt = context.build_prompt(
                reply.twin,
                history,
                window=window >> shrink,
                count_tokens=count_tokens,
                is_full_history=len(history) < MAX_HISTORY_MESSAGES,
            )
            with suppress(PromptTooLong):
                return self.model.stream_reply(prompt, front_matter)
        raise ModelFailed(MESSAGE_TOO_LONG, "too_long")

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
        self._emit_end(reply, STORE_FAILED)

    def _store(self, reply: Reply, failure: Failed | None) -> None:
        """Store the reply and emit the final event. Raises DatabaseUnavailable."""
        final_event: Event = failure or EMPTY_REPLY
        try:
            stored_reply = self.messages.store_reply(
                reply.message,
                reply.lease_id,
                reply.text,
                is_complete=failure is None,
                is_stopped=failure is STOPPED,
                is_cut_off=reply.is_cut_off,
                usage=reply.usage,
            )
        except DatabaseUnavailable:
            raise
        except Exception:
            logger.exception("reply to %s", reply.message.id)
            self._emit_end(reply, STORE_FAILED)
            return
        if failure is None and reply.text:
            # None means that another process took over the lease of this reply.
            final_event = Complete(stored_reply) if stored_reply else STORE_FAILED
        self._emit_end(reply, final_event)

    def _emit_end(self, reply: Reply, final_event: Event) -> None:
        # A new reply to the same message may run already, before this model request has ended.
        if self._running.get(reply.message.id) is reply:
            del self._running[reply.message.id]
        reply.emit(final_event)

    def _follow_remote(
        self, message: Message, twin: Twin, is_disconnected: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Follow a reply of another process, without its text; if that dies, write it here."""
        yield Progress("thinking")
        state = LeaseState.HELD
        last_sent_at = self._clock.monotonic()
        while state is LeaseState.HELD:
            self._clock.sleep(POLL_SECONDS)
            if is_disconnected():
                return
            if self._clock.monotonic() - last_sent_at >= Reply.keepalive_seconds:
                last_sent_at = self._clock.monotonic()
                yield None
            with suppress(DatabaseUnavailable):
                state = self.leases.state(message.id)
        try:
            final_events = self._after_remote_end(message, twin, state)
        except StillReplying:
            final_events = _single_event(INTERRUPTED)
        except DatabaseUnavailable:
            final_events = _single_event(DATABASE_UNAVAILABLE)
        yield from final_events(is_disconnected)

    def _after_remote_end(self, message: Message, twin: Twin, state: LeaseState) -> ReplyEvents:
        if state is LeaseState.EXPIRED:
            return self._resume(message, twin)
        if stored_reply := self.messages.find_complete_reply(message):
            return _single_event(Complete(stored_reply))
        return _single_event(STOPPED if state is LeaseState.STOPPED else INTERRUPTED)


def _single_event(event: Event) -> ReplyEvents:
    return lambda _: iter([event])
