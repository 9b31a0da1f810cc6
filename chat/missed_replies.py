"""The service's own record of a conversation, where it offers one: a reply may have come there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import twinapi
from chat.log.entries import State, fold
from chat.log.log import Log
from chat.turns import Turn, Turns
from twinapi import Message, TwinApiError

LOOK_BACK = 20


class History:
    """Look for replies that were cut off on their way here but finished at the service."""

    def __init__(self, client: twinapi.Client, turns: Turns, log: Log) -> None:
        self.client = client
        self.turns = turns
        self.log = log
        self._offered = True

    def reply_to(self, turn: Turn, service_id: str) -> str | None:
        """Return the whole reply to a turn, if the service has one."""
        worth_it, last_known = self._before(turn)
        if not (self._offered and worth_it):
            return None
        try:
            messages = self.client.list_messages(service_id)
        except TwinApiError as error:
            status = error.status if isinstance(error, twinapi.ApiError) else None
            self._offered = status not in (405, 501)
            return None
        return _answer(_since(_oldest_first(messages), last_known), turn.content)

    def _before(self, turn: Turn) -> tuple[bool, str]:
        """Tell whether the service may have received these words, and the last whole reply."""
        turns = self.turns.of_conversation(
            turn.conversation_id, before=turn.position + 1, limit=LOOK_BACK
        )
        logs = self.log.read_all([each.id for each in turns])
        worth_it = False
        for each in reversed(turns):
            reply = fold(logs[each.id])
            if reply.state == State.COMPLETE:
                return worth_it, reply.text
            worth_it |= reply.perhaps_received and each.content == turn.content
        return worth_it, ""


def _oldest_first(messages: Sequence[Message]) -> Sequence[Message]:
    """Put messages into their order; without times, only one that ends in a reply is certain.

    A list that begins with the newest message ends in the first thing that was ever said.
    """
    if all(message.created_at for message in messages):
        return sorted(messages, key=lambda message: message.created_at)
    return messages if messages and messages[-1].role == "assistant" else ()


def _since(messages: Sequence[Message], known: str) -> Sequence[Message]:
    """Return what came after the last reply that is known here; nothing if it is not there."""
    if not known:
        return messages
    places = [n for n, m in enumerate(messages) if m.role == "assistant" and m.content == known]
    return messages[places[-1] + 1 :] if places else ()


def _answer(messages: Sequence[Message], content: str) -> str | None:
    """Find the reply to what was said, the newest if it was said more than once."""
    pairs = pairwise(messages)
    found = [
        reply.content
        for said, reply in pairs
        if said.role == "user"
        and said.content == content
        and reply.role == "assistant"
        and reply.whole
        and reply.reply_to in ("", said.id)
        and reply.content.strip()
    ]
    return found[-1] if found else None
