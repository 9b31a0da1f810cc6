"""Rate limit headers: RateLimit, RateLimit-* and X-RateLimit-*."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

MAX_RESET_SECONDS = 3_600
# No real limit is higher than this. Larger integers do not fit into the databases.
MAX_REQUESTS = 2**31 - 1

_DIGITS = re.compile(r"[0-9]{1,15}")
_PARAMETER = re.compile(r"(\w+)\s*=\s*([0-9]{1,15})\b")
# A larger number is not a duration but a Unix timestamp.
_MIN_TIMESTAMP = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RateLimitReport:
    """The number of remaining requests, and the seconds until the limit resets.

    `elapsed` is how many seconds the response took.
    """

    remaining: int
    limit: int | None = None
    resets_in: float | None = None
    elapsed: float = 0.0


def parse_report(headers: Mapping[str, str]) -> RateLimitReport | None:
    """Parse the headers; return None if they do not contain the remaining requests.

    Supports the newest form of the IETF draft (`"hour";r=10;t=60`), its older form
    (`limit=500, remaining=10, reset=60`), and the headers X-RateLimit-… and RateLimit-….
    """
    parameters = dict(_PARAMETER.findall(headers.get("RateLimit", "")))
    policy = dict(_PARAMETER.findall(headers.get("RateLimit-Policy", "")))

    def number(*names: str) -> int | None:
        for name in names:
            value = parameters.get(name.lower()) or next(
                (v for p in ("X-RateLimit-", "RateLimit-") if (v := headers.get(p + name))), ""
            )
            if _DIGITS.fullmatch(value.strip()):
                return int(value)
        return None

    remaining = number("r", "Remaining")
    if remaining is None:
        return None
    limit = number("Limit") or (int(policy["q"]) if "q" in policy else None)
    return RateLimitReport(
        remaining=min(remaining, MAX_REQUESTS),
        limit=None if limit is None else min(limit, MAX_REQUESTS),
        resets_in=_seconds_until(number("t", "Reset")),
    )


def _seconds_until(number: int | None) -> float | None:
    """Return a duration in seconds; `number` is a duration, or a Unix timestamp in s or ms."""
    if number is None:
        return None
    if number > _MIN_TIMESTAMP * 1000:
        number //= 1000
    if number > _MIN_TIMESTAMP:
        number -= int(time.time())
    return float(min(MAX_RESET_SECONDS, max(0, number)))
