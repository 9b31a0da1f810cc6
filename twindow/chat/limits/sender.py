"""Who sends a message, and why no message can be sent."""

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
class Sender:
    """Who sends a message, and to which twin.

    `visitor_address` is None for a person who is signed in. For a visitor, it is a keyed hash of
    the address and the day.
    """

    person: str
    twin_id: str
    visitor_address: str | None = None
