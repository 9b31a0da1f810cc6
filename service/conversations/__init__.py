"""Conversations, messages and running replies."""

from service.conversations import reply
from service.conversations.conversations import Conversation, Conversations
from service.conversations.leases import Leases
from service.conversations.messages import (
    IdempotencyKey,
    Message,
    Messages,
    StillReplying,
)
from service.conversations.queue import ReplyQueue
from service.conversations.reply import Complete, Event, Failed, Progress
from service.conversations.reply_manager import ReplyEvents, ReplyManager

__all__ = [
    "Complete",
    "Conversation",
    "Conversations",
    "Event",
    "Failed",
    "IdempotencyKey",
    "Leases",
    "Message",
    "Messages",
    "Progress",
    "ReplyEvents",
    "ReplyManager",
    "ReplyQueue",
    "StillReplying",
    "reply",
]
