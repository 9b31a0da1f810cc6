"""Progress of a reply. The interface does not define its shape."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from twindow.twinapi.models import clean

MAX_PROGRESS_CHARACTERS = 100
REDACTED = "•••"
# A key below this length is not masked: it is not secret, and may be an ordinary word.
MIN_KEY_CHARACTERS = 8
_LABELS = ("label", "stage", "text", "message", "step", "status")
_PERCENTAGES = ("percent", "percentage", "progress", "value")
_COUNTS = (("value", "total"), ("current", "total"), ("step", "total"), ("completed", "total"))


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """The current activity of the service; `percent` is 0 to 100, or None if unknown.

    The log of a reply stores it in this form.
    """

    text: str = ""
    percent: float | None = None


class ProgressParser:
    """Parser of the progress events of one reply, which share a scale.

    A number is a percentage, a string a label; an object may have both, or a `value` and a `total`.
    A number between 0 and 1 is a fraction, and from then on 1 is 100 %. A string such as "40 %" is
    a percentage.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._has_fractions = False

    def parse(self, data: object) -> Progress:
        """Parse progress of any shape; the key is masked in its label."""
        if isinstance(data, Mapping):
            label = next((v for name in _LABELS if isinstance(v := data.get(name), str)), "")
            return Progress(self._label(label), self._percent_in(data))
        if isinstance(data, str) and not re.fullmatch(r"\s*[\d.]+\s*%\s*", data):
            return Progress(self._label(data))
        return Progress(percent=self._percent(data))

    def _percent_in(self, data: Mapping[str, Any]) -> float | None:
        for name, total_name in _COUNTS:
            value, total = _number(data.get(name)), _number(data.get(total_name))
            if value is not None and total:
                return _limited(100 * value / total)
        return next(
            (p for name in _PERCENTAGES if (p := self._percent(data.get(name))) is not None), None
        )

    def _percent(self, data: object) -> float | None:
        if isinstance(data, str):
            return _limited(_number(data.strip().removesuffix("%").strip()))
        number = _number(data)
        if number is None:
            return None
        self._has_fractions |= 0 < number < 1
        is_fraction = number < 1 or (
            number == 1 and (self._has_fractions or isinstance(data, float))
        )
        return _limited(100 * number if is_fraction else number)

    def _label(self, label: str) -> str:
        label = clean(label)
        if len(self._key) >= MIN_KEY_CHARACTERS:
            label = label.replace(self._key, REDACTED)
        return label[:MAX_PROGRESS_CHARACTERS]


def _number(data: object) -> float | None:
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    try:
        number = float(data)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _limited(percent: float | None) -> float | None:
    return None if percent is None else min(100.0, max(0.0, percent))
