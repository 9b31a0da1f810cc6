"""The quota: whether a person may send a message, and how many requests messages use.

`Quota` counts the requests to the service with an API key. It also checks two limits of a person:
running replies and stored messages.
"""

from __future__ import annotations

from chat.quota.history_limit import HISTORY_FULL
from chat.quota.quota import KEY_IS_READ_ONLY, OWN_KEY_IS_READ_ONLY, QUOTA_USED_UP, Quota
from chat.quota.reply_limit import TOO_MANY_REPLIES
from chat.quota.spent_requests import (
    FIRST_TURN_REQUESTS,
    clear_old_addresses,
    requests_of_message,
)
from chat.quota.status import QuotaStatus, RemainingQuota, SendingBlocked
from chat.quota.turn_requests import RequestsForbidden, TurnRequests
from chat.quota.window import HOUR_SECONDS

__all__ = [
    "FIRST_TURN_REQUESTS",
    "HISTORY_FULL",
    "HOUR_SECONDS",
    "KEY_IS_READ_ONLY",
    "OWN_KEY_IS_READ_ONLY",
    "QUOTA_USED_UP",
    "TOO_MANY_REPLIES",
    "Quota",
    "QuotaStatus",
    "RemainingQuota",
    "RequestsForbidden",
    "SendingBlocked",
    "TurnRequests",
    "clear_old_addresses",
    "requests_of_message",
]
