"""What a service says of its limits: the headers RateLimit, RateLimit-* and X-RateLimit-*."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

MAX_RETRY_SECONDS = 3600.0
# What is larger is no length of time but a time: seconds since 1970.
_EPOCH = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests are left, and in how many seconds there will be more."""

    remaining: int
    limit: int | None = None
    resets_in: float | None = None


def limits(headers: Mapping[str, str]) -> Limits | None:
    """Read the headers; None where they say nothing.

    Known are the draft's newest form (`"hour";r=10;t=60`), its older one
    (`limit=500, remaining=10, reset=60`), and the fields named X-RateLimit-… or RateLimit-….
    """
    said = dict(re.findall(r"(\w+)\s*=\s*(\d+)", headers.get("RateLimit", "")))
    policy = dict(re.findall(r"(\w+)\s*=\s*(\d+)", headers.get("RateLimit-Policy", "")))

    def number(*names: str) -> int | None:
        for name in names:
            value = said.get(name.lower()) or next(
                (v for p in ("X-RateLimit-", "RateLimit-") if (v := headers.get(p + name))), ""
            )
            if value.strip().isascii() and value.strip().isdigit():
                return int(value) if len(value) < 16 else None
        return None

    remaining = number("r", "Remaining")
    if remaining is None:
        return None
    resets = number("t", "Reset")
    if resets is not None and resets > _EPOCH:
        resets = max(0, math.ceil(resets - time.time()))
    limit = number("Limit") or (int(policy["q"]) if "q" in policy else None)
    return Limits(remaining, limit, float(resets) if resets is not None else None)


def retry_after(headers: Mapping[str, str]) -> float | None:
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
