"""Replies: written in threads of their own, whether or not anybody listens, until told to stop."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress

from database import DatabaseUnavailable
from service import context
from service.conversations import Conversation
from service.leases import LEASE_SECONDS, Leases
from service.line import Left, Line
from service.messages import Message, Messages, Press
from service.model import Model, ModelFailed, TooLong, Writing
from service.reply import Complete, Delta, Event, Failed, Progress, Reply
from service.twin import Twin

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
STOP_SECONDS = 0.5
HISTORY = 200
SHRINKS = 4

BUG = Failed("Something went wrong in the service.", "internal_error")
NOTHING = Failed("The model said nothing.")
STOPPED = Failed("The reply was stopped.", "stopped")
NOT_STORED = Failed("The reply could not be stored.", "unavailable")
TOO_LONG = "The message is too long for this model. Try a shorter one."

Events = Callable[[Callable[[], bool]], Iterator[Event | None]]


class Replies:
    """Write replies, and hold the leases of the conversations in which one is written."""

    def __init__(self, messages: Messages, leases: Leases, model: Model, line: Line | None) -> None:
        self.messages = messages
        self.leases = leases
        self.model = model
        self.line = line
        self._running: dict[str, Reply] = {}
        self._ending = threading.Lock()
        self._keeper: threading.Thread | None = None
        self._any = threading.Event()

    def begin(
        self, conversation: Conversation, twin: Twin, content: str, press: Press | None = None
    ) -> tuple[Message, Events]:
        """Store the message and begin its reply; return both.

        The same press is the same message, and gets the reply that it got or is getting; one that
        failed is written anew. Raises StillReplying and AnotherMessage.
        """
        said, new = self.messages.say(conversation.id, content, press)
        if new:
            return said, self._begin(said, conversation.sub, twin).follow
        return said, self._again(said, conversation.sub, twin)

    def _begin(self, said: Message, owner: str, twin: Twin) -> Reply:
        """Begin the reply to a message, whose lease is ours."""
        reply = Reply(said, owner, twin)
        self._running[said.id] = reply
        self._keep_leases()
        threading.Thread(target=self._write, args=(reply,), daemon=True, name="reply").start()
        return reply

    def _again(self, said: Message, owner: str, twin: Twin) -> Events:
        """Return the reply that a message got, is getting, or gets now."""
        if running := self._running.get(said.id):
            return running.follow
        known, leased = self.messages.take_up(said)
        if known:
            return lambda _: iter([Complete(known)])
        if leased:
            return self._begin(said, owner, twin).follow
        return lambda has_hung_up: self._elsewhere(said, owner, twin, has_hung_up)

    def stop(self, said: Message) -> None:
        """Stop the reply to a message, in whichever process it is written."""
        if reply := self._running.get(said.id):
            self._stop(reply)
        else:
            self.leases.ask_to_stop(said.id)

    def close(self) -> None:
        """Stop every reply; what has been written is stored."""
        for reply in list(self._running.values()):
            self._stop(reply)
        if self.line:
            self.line.close()

    def _stop(self, reply: Reply) -> None:
        reply.stop()
        self._finish(reply, None)  # the model may not have begun to answer yet: nobody waits for it

    def _write(self, reply: Reply) -> None:
        try:
            with self._place(reply):
                reply.put(Progress("thinking"))
                begun = False
                for piece in reply.write(self._ask(reply)):
                    if not begun:
                        reply.put(Progress("writing"))
                    begun = True
                    reply.put(Delta(piece))
            self._finish(reply, None)
        except Left:
            self._finish(reply, None)
        except ModelFailed as error:
            self._finish(reply, Failed(error.sentence, error.code))
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            self._finish(reply, BUG)

    def _place(self, reply: Reply) -> AbstractContextManager[None]:
        if self.line is None:
            return nullcontext()
        return self.line.place(
            reply.owner, lambda ahead: reply.put(Progress("queued", ahead)), lambda: reply.stopped
        )

    def _ask(self, reply: Reply) -> Writing:
        """Ask the model, with less of the talk each time that it turns out to be too much."""
        about = reply.twin.about
        history = self.messages.newest(reply.said, HISTORY)
        window = max(self.model.window - about.max_tokens, self.model.window // 4)
        tokens = self.model.tokens(about.model)
        for shrink in range(SHRINKS):
            prompt = context.build(reply.twin, history, window=window >> shrink, tokens=tokens)
            with suppress(TooLong):
                return self.model.reply(prompt, about)
        raise ModelFailed(TOO_LONG, "too_long")

    def _finish(self, reply: Reply, failed: Failed | None) -> None:
        """Store what was written and free the conversation; only the first call counts."""
        with self._ending:
            # A reply that was stopped may have been begun anew, before this one's model let go.
            if self._running.get(reply.said.id) is not reply:
                return
            del self._running[reply.said.id]
        complete = not (failed or reply.stopped)
        end: Event = STOPPED if reply.stopped else failed or NOTHING
        try:
            message = self.messages.reply(reply.said, reply.text, complete=complete)
            if message and complete:
                end = Complete(message)
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            end = NOT_STORED
        reply.put(end)

    def _elsewhere(
        self, said: Message, owner: str, twin: Twin, has_hung_up: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Wait for a reply that another process writes; if that one dies, write it here."""
        yield Progress("thinking")
        while self.leases.held(said.id):
            if has_hung_up():
                return
            time.sleep(LOOK_SECONDS)
            yield None
        yield from self._again(said, owner, twin)(has_hung_up)

    def _keep_leases(self) -> None:
        self._any.set()
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._renew, daemon=True, name="leases")
            self._keeper.start()

    def _renew(self) -> None:
        """Hold the leases, and hear from other processes who should stop."""
        renewed_at = 0.0
        while True:
            self._any.wait()
            self._any.clear()
            # A reply that was stopped has its place until the model lets go.
            while self._running or (self.line and self.line.places.taken_here):
                time.sleep(STOP_SECONDS)
                try:
                    for message_id in self.leases.to_be_stopped(list(self._running)):
                        if reply := self._running.get(message_id):
                            self._stop(reply)
                    if time.monotonic() - renewed_at > LEASE_SECONDS / 3:
                        self.leases.renew(list(self._running))
                        if self.line:
                            self.line.places.renew()
                        renewed_at = time.monotonic()
                except DatabaseUnavailable:
                    logger.warning("The leases of running replies could not be renewed.")
