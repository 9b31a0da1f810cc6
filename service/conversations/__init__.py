"""Conversations, messages and running replies."""

from service.conversations import reply
from service.conversations.conversations import (
    Conversation,
    ConversationCursor,
    Conversations,
)
from service.conversations.leases import Leases
from service.conversations.messages import (
    Message,
    MessageCursor,
    Messages,
    StillReplying,
)
from service.conversations.queue import ReplyQueue
from service.conversations.reply import Complete, Event, Failed, Progress, ReplyEvents
from service.conversations.reply_manager import ReplyManager

__all__ = [
    "Complete",
    "Conversation",
    "ConversationCursor",
    "Conversations",
    "Event",
    "Failed",
    "Leases",
    "Message",
    "MessageCursor",
    "Messages",
    "Progress",
    "ReplyEvents",
    "ReplyManager",
    "ReplyQueue",
    "StillReplying",
    "reply",
]
