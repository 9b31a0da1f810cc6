"""How a reply that ended at its bound, in the middle of a sentence, shows that it goes on."""

from __future__ import annotations

import re

import pyromark

GOES_ON = "…"
OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
_FENCE = re.compile(rb"`{3,}|~{3,}")


def goes_on(text: str) -> str:
    """Return what comes after a text that was cut off: below its code, where nobody copies it."""
    # Who shows replies takes HTML for text: there is code below it, too.
    text = text.replace("<", "&lt;")
    line_end = "" if text.endswith("\n") else "\n"
    # In a list or a quotation an empty line ends the code with what it is in.
    below = f"{line_end}\n{GOES_ON}"
    for end in (f" {GOES_ON}", GOES_ON, below):
        if _code_at_end(text + end) is None:
            return end
    fence = _FENCE.match(text.encode(), _code_at_end(text + below) or 0)
    return f"{line_end}{fence[0].decode()}\n\n{GOES_ON}" if fence else below


def _code_at_end(text: str) -> int | None:
    """Return where the block of code begins that a text ends in, in bytes; None if in none."""
    length = len(text.encode())
    for event, place in pyromark.events_with_range(text, options=OPTIONS):
        started = event.get("Start") if isinstance(event, dict) else None
        if "CodeBlock" in str(started) and place["end"] >= length:
            return int(place["start"])
    return None
