"""Replies: written in a thread of their own, read by whoever asked."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from database import DatabaseUnavailable
from service import context
from service.conversations import LEASE_SECONDS, Conversation, Conversations, Message
from service.model import Model, ModelFailed, Sampling, TooLong, Writing
from service.twins import Twin

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 10.0
HISTORY = 200
SHRINKS = 4

BUG = "Something went wrong in the service."


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


@dataclass
class Reply:
    """One reply on its way."""

    said: Message
    twin: Twin
    events: queue.SimpleQueue[Event] = field(default_factory=queue.SimpleQueue)
    abandoned: bool = False
    writing: Writing | None = None

    def __iter__(self) -> Iterator[Event | None]:
        """Yield what happens until the end; None, every ten seconds, for nothing yet.

        Whoever stops listening abandons the reply.
        """
        try:
            while True:
                try:
                    event = self.events.get(timeout=KEEP_ALIVE_SECONDS)
                except queue.Empty:
                    yield None
                    continue
                yield event
                if isinstance(event, Complete | Failed):
                    return
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Stop writing: nobody listens any more."""
        self.abandoned = True
        if self.writing:
            self.writing.stop()


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
        reply = Reply(self.conversations.say(conversation, content), twin)
        self._running[conversation.id] = reply
        self._keep_leases()
        threading.Thread(target=self._write, args=(reply,), daemon=True, name="reply").start()
        return reply

    def close(self) -> None:
        """Abandon every reply; what has been written is stored."""
        for reply in list(self._running.values()):
            reply.abandon()

    def _write(self, reply: Reply) -> None:
        pieces: list[str] = []
        try:
            reply.events.put(Progress("thinking"))
            reply.writing = self._ask(reply)
            if reply.abandoned:
                reply.writing.stop()
            for piece in reply.writing:
                if not pieces:
                    reply.events.put(Progress("writing"))
                pieces.append(piece)
                reply.events.put(Delta(piece))
            end: Event | None = None
        except ModelFailed as error:
            end = Failed(error.sentence)
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            end = Failed(BUG)
        reply.events.put(self._store(reply, "".join(pieces), end))

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

    def _store(self, reply: Reply, content: str, end: Event | None) -> Event:
        self._running.pop(reply.said.conversation_id, None)
        try:
            message = self.conversations.reply(reply.said, content)
        except DatabaseUnavailable:
            return Failed("The reply could not be stored.")
        if end:
            return end
        return Complete(message) if message else Failed("The model said nothing.")

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
                threading.Event().wait(LEASE_SECONDS / 3)
                with suppress(DatabaseUnavailable):
                    self.conversations.renew(list(self._running))
