"""The requests of one turn: allowed and reserved before they are sent."""

from __future__ import annotations

from chat.log import Log
from chat.quota.quota import Quota
from twinapi import TwinApiError


class RequestsForbidden(Exception):
    """Raised instead of sending a request: the turn has ended, or the process is shutting down."""


class QuotaUsedUp(TwinApiError):
    """Raised instead of sending a request that cannot be reserved."""

    code = "quota_used_up"
    perhaps_received = False


class TurnRequests:
    """Requests that the worker of a turn sends.

    `unsent` is the number of reserved requests that are not sent yet.
    """

    def __init__(self, log: Log, quota: Quota, turn_id: str, reserved: int) -> None:
        self._log = log
        self._quota = quota
        self._turn_id = turn_id
        self.unsent = reserved

    def begin(self) -> None:
        """Count a request that is about to be sent.

        Reserves a request first if all reserved requests are already sent. Raises
        RequestsForbidden, QuotaUsedUp and DatabaseUnavailable.
        """
        if not self.unsent and not self.reserve(1):
            raise QuotaUsedUp
        if not self._log.allows_requests(self._turn_id):
            raise RequestsForbidden
        self.unsent -= 1

    def reserve(self, count: int) -> bool:
        """Reserve more requests. Return False if the quota is used up.

        Raises DatabaseUnavailable.
        """
        is_reserved = self._quota.reserve(self._turn_id, count)
        if is_reserved:
            self.unsent += count
        return is_reserved
