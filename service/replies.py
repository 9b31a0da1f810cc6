"""Replies: written in a thread of their own, read by whoever asked."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from database import DatabaseUnavailable
from service import context
from service.conversations import LEASE_SECONDS, Conversation, Conversations, Message
from service.model import Model, ModelFailed, Sampling, TooLong, Writing
from service.twins import Twin

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 10.0
LISTEN_SECONDS = 0.5
HISTORY = 200
SHRINKS = 4

BUG = "Something went wrong in the service."
NOTHING = "The model said nothing."


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done: thinking, then writing."""

    stage: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply."""

    content: str


@dataclass(frozen=True, slots=True)
class Complete:
    """The whole reply, stored."""

    message: Message


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no reply."""

    sentence: str


Event = Progress | Delta | Complete | Failed


class Reply:
    """One reply on its way."""

    def __init__(self, said: Message, twin: Twin, finish: Callable[[Reply], None]) -> None:
        self.said = said
        self.twin = twin
        self.pieces: list[str] = []
        self.abandoned = False
        self.writing: Writing | None = None
        self._finish = finish
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def put(self, event: Event) -> None:
        """Let whoever listens know."""
        if isinstance(event, Delta):
            self.pieces.append(event.content)
        self._events.put(event)

    def follow(self, has_hung_up: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield what happens until the end; None, every ten seconds, for nothing yet.

        Whoever stops listening abandons the reply.
        """
        quiet_since = time.monotonic()
        ended = False
        try:
            while not ended:
                try:
                    event = self._events.get(timeout=LISTEN_SECONDS)
                except queue.Empty:
                    if has_hung_up():
                        return
                    if time.monotonic() - quiet_since >= KEEP_ALIVE_SECONDS:
                        quiet_since = time.monotonic()
                        yield None
                    continue
                quiet_since = time.monotonic()
                ended = isinstance(event, Complete | Failed)
                yield event
        finally:
            if not ended:
                self.abandon()

    def abandon(self) -> None:
        """Stop at once: nobody listens any more. What has been written is stored."""
        self.abandoned = True
        if self.writing:
            self.writing.stop()
        self._finish(self)


class Replies:
    """Write replies, and hold the leases of the conversations in which one is written."""

    def __init__(self, conversations: Conversations, model: Model) -> None:
        self.conversations = conversations
        self.model = model
        self._running: dict[str, Reply] = {}
        self._keeper: threading.Thread | None = None
        self._any = threading.Event()

    def begin(self, conversation: Conversation, twin: Twin, content: str) -> Reply:
        """Store the message and begin its reply. Raises StillReplying."""
        reply = Reply(self.conversations.say(conversation, content), twin, self._finish)
        self._running[reply.said.id] = reply
        self._keep_leases()
        threading.Thread(target=self._write, args=(reply,), daemon=True, name="reply").start()
        return reply

    def close(self) -> None:
        """Abandon every reply; what has been written is stored."""
        for reply in list(self._running.values()):
            reply.abandon()

    def _write(self, reply: Reply) -> None:
        try:
            reply.put(Progress("thinking"))
            reply.writing = self._ask(reply)
            if reply.abandoned:
                reply.writing.stop()
            for piece in reply.writing:
                if not reply.pieces:
                    reply.put(Progress("writing"))
                reply.put(Delta(piece))
            self._finish(reply)
        except ModelFailed as error:
            self._finish(reply, Failed(error.sentence))
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            self._finish(reply, Failed(BUG))

    def _ask(self, reply: Reply) -> Writing:
        """Ask the model, with less of the talk each time that it turns out to be too much."""
        about = reply.twin.about
        sampling = Sampling(
            about.model, about.temperature, about.frequency_penalty, about.max_tokens
        )
        history = self.conversations.newest(reply.said.conversation_id, HISTORY)
        window = max(self.model.window - about.max_tokens, self.model.window // 4)
        for shrink in range(SHRINKS):
            prompt = context.build(reply.twin, history, window=window >> shrink)
            with suppress(TooLong):
                return self.model.reply(prompt, sampling)
        raise ModelFailed("The message is too long for this model. Try a shorter one.")

    def _finish(self, reply: Reply, failed: Failed | None = None) -> None:
        """Store what was written and free the conversation; only the first call counts."""
        if self._running.pop(reply.said.id, None) is None:
            return
        end: Event = failed or Failed(NOTHING)
        try:
            complete = not (failed or reply.abandoned)
            text = "".join(reply.pieces)
            message = self.conversations.reply(reply.said, text, complete=complete)
            if message and not failed:
                end = Complete(message)
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            end = Failed("The reply could not be stored.")
        reply.put(end)

    def _keep_leases(self) -> None:
        self._any.set()
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._renew, daemon=True, name="leases")
            self._keeper.start()

    def _renew(self) -> None:
        while True:
            self._any.wait()
            self._any.clear()
            while self._running:
                time.sleep(LEASE_SECONDS / 3)
                try:
                    self.conversations.renew(list(self._running))
                except DatabaseUnavailable:
                    logger.warning("The leases of running replies could not be renewed.")
