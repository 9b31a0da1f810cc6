"""The error for a message that may not be sent now."""

from __future__ import annotations


class SendingBlocked(Exception):
    """Raised when no message can be sent at the moment.

    `retry_at` is when to try again, in seconds since 1970, or None if unknown.
    """

    def __init__(self, sentence: str, retry_at: float | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_at = retry_at
