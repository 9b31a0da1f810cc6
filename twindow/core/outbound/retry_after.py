"""The header Retry-After."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

MAX_RETRY_SECONDS = 3600.0
# The wait after a refusal for which the service names none.
DEFAULT_RETRY_SECONDS = 60.0


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the waiting time in seconds, at most one hour.

    The header contains seconds or a date (RFC 9110, 10.2.3). Returns None if the header is missing
    or invalid.
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
