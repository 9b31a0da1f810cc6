"""What a service says of its limits: the headers RateLimit, RateLimit-* and X-RateLimit-*."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

MAX_RETRY_SECONDS = 3600.0
MAX_RESET_SECONDS = 86_400
# More than anybody counts, and no database holds larger integers.
MAX_REQUESTS = 2**31 - 1

_DIGITS = re.compile(r"[0-9]{1,15}")
_PARAMETER = re.compile(r"(\w+)\s*=\s*([0-9]{1,15})\b")
# What is larger is no length of time but a time: seconds since 1970.
_MIN_TIMESTAMP = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests are left, and in how many seconds there will be more.

    `window` is the length of the time that they are for, in seconds, if the service says so.
    """

    remaining: int
    limit: int | None = None
    resets_in: float | None = None
    window: float | None = None


def parse_limits(headers: Mapping[str, str]) -> Limits | None:
    """Read the headers; None where they say nothing.

    Known are the draft's newest form (`"hour";r=10;t=60`), its older one
    (`limit=500, remaining=10, reset=60`), and the fields named X-RateLimit-… or RateLimit-….
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
    return Limits(
        remaining=min(remaining, MAX_REQUESTS),
        limit=None if limit is None else min(limit, MAX_REQUESTS),
        resets_in=_seconds_until(number("t", "Reset")),
        window=_seconds_until(int(policy["w"])) if "w" in policy else None,
    )


def _seconds_until(number: int | None) -> float | None:
    """Read a length of time, or the time at its end, in seconds or milliseconds since 1970."""
    if number is None:
        return None
    if number > _MIN_TIMESTAMP * 1000:
        number //= 1000
    if number > _MIN_TIMESTAMP:
        number -= int(time.time())
    return float(min(MAX_RESET_SECONDS, max(0, number)))


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After, seconds or a date (RFC 9110, 10.2.3), as seconds: 0 to one hour.

    None where it is missing or means nothing.
    """
    value = headers.get("Retry-After", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return min(MAX_RETRY_SECONDS, max(0.0, seconds)) if math.isfinite(seconds) else None
