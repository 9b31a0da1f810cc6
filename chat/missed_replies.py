"""Lookup of missed replies in the service's message history, which not every service offers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import twinapi
from chat.log import Log, ReplyState, build_reply
from chat.quota import TurnRequests
from chat.turn_rows import Turn
from chat.turns import Turns
from twinapi import Message, TwinApiError

MAX_EARLIER_TURNS = 20
# Reading the history takes at most two requests: for its first page and for its last page.
MAX_REQUESTS = 2


class MissedReplies:
    """Replies that the service completed although the portal lost the connection."""

    def __init__(self, client: twinapi.Client, turns: Turns, log: Log) -> None:
        self.client = client
        self.turns = turns
        self.log = log
        self._is_supported = True

    def find_reply(self, turn: Turn, service_id: str, requests: TurnRequests) -> str | None:
        """Return the complete reply to a turn, or None if the service does not have one.

        Also returns None if the service cannot have received the message, if the history is not
        available, or if the quota is used up. After 405 or 501 the history is not requested again.
        Raises RequestsForbidden and DatabaseUnavailable.
        """
        may_be_received, last_reply = self._receipt_and_last_reply(turn)
        if not (self._is_supported and may_be_received and requests.reserve(MAX_REQUESTS)):
            return None
        try:
            messages = self.client.list_messages(service_id, before_request=requests.begin)
        except TwinApiError as error:
            requests.unsent += error.unsent_requests
            status = error.status if isinstance(error, twinapi.ApiError) else None
            self._is_supported = status not in (405, 501)
            return None
        return _newest_reply_to(_messages_after(_oldest_first(messages), last_reply), turn.content)

    def _receipt_and_last_reply(self, turn: Turn) -> tuple[bool, str]:
        """Return whether the service may have received the message, and the last complete reply.

        Looks at the last `MAX_EARLIER_TURNS` turns. The reply is "" if no reply is complete.
        """
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
    """Sort messages by time.

    If a message has no time, the order of the service is kept. A list without times that ends with
    a message of the person is ignored, because the list may begin with the newest message.
    """
    if all(message.created_at for message in messages):
        return sorted(messages, key=lambda message: message.created_at)
    return messages if messages and messages[-1].role == "assistant" else ()


def _messages_after(messages: Sequence[Message], last_reply: str) -> Sequence[Message]:
    """Return the messages after `last_reply`, the last reply that the portal has stored.

    Returns all messages if `last_reply` is "", and none if the service does not list that reply.
    """
    if not last_reply:
        return messages
    positions = [
        n for n, m in enumerate(messages) if m.role == "assistant" and m.content == last_reply
    ]
    return messages[positions[-1] + 1 :] if positions else ()


def _newest_reply_to(messages: Sequence[Message], content: str) -> str | None:
    """Return the newest complete reply to a message with this content, or None."""
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
