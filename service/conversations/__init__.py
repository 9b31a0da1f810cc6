"""Conversations, messages and running replies."""

from service.conversations import reply
from service.conversations.conversations import (
    Conversation,
    Conversations,
)
from service.conversations.leases import Leases
from service.conversations.messages import (
    Message,
    Messages,
    StillReplying,
)
from service.conversations.queue import ReplyQueue
from service.conversations.reply import Complete, Event, Failed, Progress, ReplyEvents
from service.conversations.reply_manager import ReplyManager

__all__ = [
    "Complete",
    "Conversation",
    "Conversations",
    "Event",
    "Failed",
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
