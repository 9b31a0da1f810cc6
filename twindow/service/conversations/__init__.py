"""Conversations, messages and running replies."""

from twindow.service.conversations import reply
from twindow.service.conversations.conversations import (
    Conversation,
    Conversations,
)
from twindow.service.conversations.leases import Leases
from twindow.service.conversations.messages import (
    Message,
    Messages,
    StillReplying,
)
from twindow.service.conversations.queue import ReplyQueue
from twindow.service.conversations.reply import Complete, Event, Failed, Progress, ReplyEvents
from twindow.service.conversations.reply_manager import ReplyManager

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
