"""The setting `TWINDOW_LIMITS`: how many messages may be sent in an hour or a day."""

from __future__ import annotations

import re
from typing import Literal, get_args

LimitScope = Literal["person", "address", "twin", "site"]
LimitPeriod = Literal["hour", "day"]

NO_LIMIT = "none"
MAX_COUNT = 2**31 - 1
_SCOPES, _PERIODS = get_args(LimitScope), get_args(LimitPeriod)
_LIMIT = re.compile(rf"({'|'.join(_SCOPES)}) *= *([1-9][0-9]*) */ *({'|'.join(_PERIODS)})")


class MessageLimits:
    """Limits parsed from a list such as "person=120/hour, site=5000/day"; `none` is no limit.

    Raises ValueError with a plain reason.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._counts: dict[tuple[str, str], int] = {}
        parts = [stripped for part in text.split(",") if (stripped := part.strip())]
        if not parts:
            raise ValueError(f"write {NO_LIMIT} for no limit")
        for part in parts if parts != [NO_LIMIT] else ():
            match = _LIMIT.fullmatch(part)
            if not match or int(match[2]) > MAX_COUNT:
                raise ValueError(
                    f"“{part}” is not a limit such as person=120/hour. The scopes are "
                    f"{', '.join(_SCOPES)}; the periods are {', '.join(_PERIODS)}"
                )
            if (match[1], match[3]) in self._counts:
                raise ValueError(f"there are two limits for {match[1]} and {match[3]}")
            self._counts[match[1], match[3]] = int(match[2])

    def count(self, scope: LimitScope, period: LimitPeriod) -> int | None:
        """Return how many messages are allowed, or None without a limit."""
        return self._counts.get((scope, period))
