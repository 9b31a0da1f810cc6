"""The service's own record of a conversation, where it offers one: a reply may have come there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import twinapi
from chat.log import Log, ReplyState, build_reply
from chat.turns import Turn, Turns
from twinapi import Message, TwinApiError

MAX_EARLIER_TURNS = 20


class MissedReplies:
    """Look for replies that were cut off on their way here but finished at the service."""

    def __init__(self, client: twinapi.Client, turns: Turns, log: Log) -> None:
        self.client = client
        self.turns = turns
        self.log = log
        self._is_supported = True

    def find_reply(self, turn: Turn, service_id: str) -> str | None:
        """Return the whole reply to a turn, if the service has one."""
        may_be_received, last_reply = self._receipt_and_last_reply(turn)
        if not (self._is_supported and may_be_received):
            return None
        try:
            messages = self.client.list_messages(service_id)
        except TwinApiError as error:
            status = error.status if isinstance(error, twinapi.ApiError) else None
            self._is_supported = status not in (405, 501)
            return None
        return _newest_reply_to(_messages_after(_oldest_first(messages), last_reply), turn.content)

    def _receipt_and_last_reply(self, turn: Turn) -> tuple[bool, str]:
        """Tell whether the service may have received these words, and the last whole reply."""
        turns = self.turns.list_for_conversation(
            turn.conversation_id, before=turn.position + 1, limit=MAX_EARLIER_TURNS
        )
        logs = self.log.read_all([earlier_turn.id for earlier_turn in turns])
        may_be_received = False
        for earlier_turn in reversed(turns):
            reply = build_reply(logs[earlier_turn.id])
            if reply.state == ReplyState.COMPLETE:
                return may_be_received, reply.text
            may_be_received |= reply.perhaps_received and earlier_turn.content == turn.content
        return may_be_received, ""


def _oldest_first(messages: Sequence[Message]) -> Sequence[Message]:
    """Put messages into their order; without times, only one that ends in a reply is certain.

    A list that begins with the newest message ends in the first thing that was ever said.
    """
    if all(message.created_at for message in messages):
        return sorted(messages, key=lambda message: message.created_at)
    return messages if messages and messages[-1].role == "assistant" else ()


def _messages_after(messages: Sequence[Message], last_reply: str) -> Sequence[Message]:
    """Return what came after the last reply that is known here; nothing if it is not there."""
    if not last_reply:
        return messages
    positions = [
        n for n, m in enumerate(messages) if m.role == "assistant" and m.content == last_reply
    ]
    return messages[positions[-1] + 1 :] if positions else ()


def _newest_reply_to(messages: Sequence[Message], content: str) -> str | None:
    """Find the reply to what was said, the newest if it was said more than once."""
    pairs = pairwise(messages)
    replies = [
        reply.content
        for message, reply in pairs
        if message.role == "user"
        and message.content == content
        and reply.role == "assistant"
        and reply.is_complete
        and reply.reply_to in ("", message.id)
        and reply.content.strip()
    ]
    return replies[-1] if replies else None
