"""What is known about the quota, for pages and for rejected messages."""

from __future__ import annotations

from dataclasses import dataclass


class SendingBlocked(Exception):
    """Raised when no message can be sent at the moment.

    `retry_at` is when to try again, in seconds since 1970, or None if unknown.
    """

    def __init__(self, sentence: str, retry_at: float | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_at = retry_at


@dataclass(frozen=True, slots=True)
class RemainingQuota:
    """Remaining requests of the hour, and the limit.

    `resets_at` is when more requests are available, in seconds since 1970, or None if unknown.
    """

    remaining: int
    limit: int
    resets_at: float | None


@dataclass(frozen=True, slots=True)
class QuotaStatus:
    """Whether a message can be sent now, and a warning if little quota is left."""

    can_send: bool = True
    # Time until which the service refuses requests, in seconds since 1970, or None.
    retry_at: float | None = None
    # Set when a tenth of the quota or less is left, as an early warning.
    low_quota: RemainingQuota | None = None
