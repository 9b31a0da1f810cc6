"""Limits: whether a person may send a message, and how many messages are left.

`Limits` checks three things: what the operator allows in an hour or a day, what the
service still accepts (`service_quota`), and what one person has at the same time (`person_limits`).
"""

from __future__ import annotations

from twindow.chat.limits.limits import (
    FIRST_MESSAGE_REQUESTS,
    Limits,
    MessagesLeft,
    SendingStatus,
)
from twindow.chat.limits.person_limits import HISTORY_FULL, MAX_RUNNING_REPLIES, TOO_MANY_REPLIES
from twindow.chat.limits.sender import Sender, SendingBlocked
from twindow.chat.limits.service_quota import ServiceQuota

__all__ = [
    "FIRST_MESSAGE_REQUESTS",
    "HISTORY_FULL",
    "MAX_RUNNING_REPLIES",
    "TOO_MANY_REPLIES",
    "Limits",
    "MessagesLeft",
    "Sender",
    "SendingBlocked",
    "SendingStatus",
    "ServiceQuota",
]
