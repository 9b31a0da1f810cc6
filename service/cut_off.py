"""How a reply that ended at its bound, in the middle of a sentence, shows that it goes on."""

from __future__ import annotations

import re

import pyromark

GOES_ON = "…"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def goes_on(text: str) -> str:
    """Return what comes after a text that was cut off: below its code, where nobody copies it."""
    if _code_at_end(text) is None:
        return f" {GOES_ON}"
    line_end = "" if text.endswith("\n") else "\n"
    # In a list or a quotation this ends the code with what it is in.
    below = f"{line_end}\n{GOES_ON}"
    start = _code_at_end(text + below)
    fence = _FENCE.match(text.encode(), start) if start is not None else None
    return f"{line_end}{fence[0].decode()}\n\n{GOES_ON}" if fence else below


def _code_at_end(text: str) -> int | None:
    """Return where the block of code begins that goes on after a text, in bytes; None if none."""
    length = len(text.encode()) + 1
    for event, place in pyromark.events_with_range(f"{text}x"):
        started = event.get("Start") if isinstance(event, dict) else None
        if "CodeBlock" in str(started) and place["end"] >= length:
            return int(place["start"])
    return None
