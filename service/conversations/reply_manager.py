"""Replies: written in threads of their own, whether or not anybody listens, until told to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress

from core.database import DatabaseUnavailable
from service.conversations import prompt as context
from service.conversations.conversations import Conversation
from service.conversations.lease_keeper import Keeper
from service.conversations.leases import Leases, Stand
from service.conversations.messages import Message, Messages, Press, StillReplying
from service.conversations.queue import Left, Line
from service.conversations.reply import Complete, Delta, Event, Failed, Progress, Reply
from service.llm.client import Model, ModelFailed, TooLong, Writing
from service.twins.twin import Twin

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
STORE_SECONDS = 30.0
CLOSE_SECONDS = 2.0
HISTORY = 200
SHRINKS = 4

BUG = Failed("Something went wrong in the service.", "internal_error")
NOTHING = Failed("The model said nothing.")
BROKE_OFF = Failed("The reply broke off. Send the message again.")
STOPPED = Failed("The reply was stopped.", "stopped")
ENDING = Failed("The service is being restarted. What came so far is kept.", "unavailable")
AWAY = Failed("The service cannot look anything up at the moment. Try again soon.", "unavailable")
NOT_STORED = Failed("The reply could not be stored.", "unavailable")
TOO_LONG = "The message is too long for this model. Try a shorter one."

Events = Callable[[Callable[[], bool]], Iterator[Event | None]]


class Replies:
    """Write replies, and hold the leases of the conversations in which one is written."""

    def __init__(self, messages: Messages, leases: Leases, model: Model, line: Line | None) -> None:
        self.messages = messages
        self.leases = leases
        self._clock = leases.database.clock
        self.model = model
        self.line = line
        self._running: dict[str, Reply] = {}
        self._ending = threading.Lock()
        self.keeper = Keeper(leases, line.places if line else None, self._running, self._stop)

    def begin(
        self, conversation: Conversation, twin: Twin, content: str, press: Press | None = None
    ) -> tuple[Message, Events]:
        """Store the message and begin its reply; return both.

        The same press is the same message, and gets the reply that it got or is getting; one that
        failed is written anew. Raises StillReplying and AnotherMessage.
        """
        said, holder = self.messages.say(conversation.id, content, press)
        if holder:
            return said, self._begin(said, holder, conversation.sub, twin).follow
        return said, self._again(said, conversation.sub, twin)

    def _begin(self, said: Message, holder: str, owner: str, twin: Twin) -> Reply:
        """Begin the reply to a message, whose lease is ours."""
        reply = Reply(said, holder, owner, twin, self._clock)
        self._running[said.id] = reply
        self.keeper.wake()
        threading.Thread(target=self._write, args=(reply,), daemon=True, name="reply").start()
        return reply

    def _again(self, said: Message, owner: str, twin: Twin) -> Events:
        """Return the reply that a message got, is getting, or gets now."""
        if running := self._running.get(said.id):
            return running.follow
        known, holder = self.messages.take_up(said)
        if known:
            return _only(Complete(known))
        if holder:
            return self._begin(said, holder, owner, twin).follow
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
            reply.stop()
            threading.Thread(target=self._finish, args=(reply, ENDING), daemon=True).start()
        if self.line:
            self.line.close()
        give_up = self._clock.monotonic() + CLOSE_SECONDS
        while self._running and self._clock.monotonic() < give_up:
            self._clock.sleep(CLOSE_SECONDS / 100)

    def _stop(self, reply: Reply) -> None:
        reply.stop()
        self._finish(reply, STOPPED)  # the model may not have begun to answer: nobody waits for it

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
            self._finish(reply, STOPPED if reply.stopped else None)
        except Left:
            self._finish(reply, STOPPED)
        except ModelFailed as error:
            self._finish(reply, Failed(error.sentence, error.code))
        except DatabaseUnavailable:
            self._finish(reply, AWAY)
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
            prompt = context.build(
                reply.twin,
                history,
                window=window >> shrink,
                tokens=tokens,
                whole=len(history) < HISTORY,
            )
            with suppress(TooLong):
                return self.model.reply(prompt, about)
        raise ModelFailed(TOO_LONG, "too_long")

    def _finish(self, reply: Reply, failed: Failed | None) -> None:
        """Store what was written and free the conversation; only the first call counts."""
        with self._ending:
            if reply.over:
                return
            reply.over = True
        try:
            self._store(reply, failed)
        except DatabaseUnavailable:
            # In a thread of its own: others must not wait for this one's end.
            arguments = (reply, failed, self._clock.monotonic() + STORE_SECONDS)
            threading.Thread(target=self._store_late, args=arguments, daemon=True).start()

    def _store_late(self, reply: Reply, failed: Failed | None, give_up: float) -> None:
        while self._clock.monotonic() < give_up:
            self._clock.sleep(LOOK_SECONDS)
            with suppress(DatabaseUnavailable):
                self._store(reply, failed)
                return
        self._end(reply, NOT_STORED)

    def _store(self, reply: Reply, failed: Failed | None) -> None:
        """Store the reply and tell its end. Raises DatabaseUnavailable."""
        end: Event = failed or NOTHING
        try:
            message = self.messages.reply(
                reply.said,
                reply.holder,
                reply.text,
                complete=failed is None,
                stopped=failed is STOPPED,
            )
        except DatabaseUnavailable:
            raise
        except Exception:
            logger.exception("reply to %s", reply.said.id)
            self._end(reply, NOT_STORED)
            return
        if failed is None and reply.text:
            # Without a message another process has taken the reply for dead.
            end = Complete(message, reply.cut_off) if message else NOT_STORED
        self._end(reply, end)

    def _end(self, reply: Reply, end: Event) -> None:
        # It may have been begun anew, before this one's model let go.
        if self._running.get(reply.said.id) is reply:
            del self._running[reply.said.id]
        reply.put(end)

    def _elsewhere(
        self, said: Message, owner: str, twin: Twin, has_hung_up: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Wait for a reply that another process writes; if that one dies, write it here."""
        yield Progress("thinking")
        stand = Stand.HELD
        quiet_since = self._clock.monotonic()
        while stand is Stand.HELD:
            self._clock.sleep(LOOK_SECONDS)
            if has_hung_up():
                return
            if self._clock.monotonic() - quiet_since >= Reply.keep_alive_seconds:
                quiet_since = self._clock.monotonic()
                yield None
            with suppress(DatabaseUnavailable):
                stand = self.leases.stand(said.id)
        try:
            end = self._end_elsewhere(said, owner, twin, stand)
        except StillReplying:
            end = _only(BROKE_OFF)
        except DatabaseUnavailable:
            end = _only(AWAY)
        yield from end(has_hung_up)

    def _end_elsewhere(self, said: Message, owner: str, twin: Twin, stand: Stand) -> Events:
        if stand is Stand.LAPSED:
            return self._again(said, owner, twin)
        if known := self.messages.whole_reply(said):
            return _only(Complete(known))
        return _only(STOPPED if stand is Stand.STOPPED else BROKE_OFF)


def _only(event: Event) -> Events:
    return lambda _: iter([event])
