"""Ellipsis after a reply that the token limit cut off."""

from __future__ import annotations

import re

import pyromark

GOES_ON = "…"
OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
_FENCE = re.compile(rb"`{3,}|~{3,}")


def goes_on(text: str) -> str:
    """Return the Markdown to append to a text that was cut off.

    If the text ends in a code block, the ellipsis follows below that block, so that it is not
    copied with the code.
    """
    # Clients render HTML as text, so a code block can begin inside what CommonMark takes for HTML.
    text = text.replace("<", "&lt;")
    line_end = "" if text.endswith("\n") else "\n"
    # In a list or a quotation, a blank line ends the code together with its container.
    below = f"{line_end}\n{GOES_ON}"
    for end in (f" {GOES_ON}", GOES_ON, below):
        if _code_at_end(text + end) is None:
            return end
    fence = _FENCE.match(text.encode(), _code_at_end(text + below) or 0)
    return f"{line_end}{fence[0].decode()}\n\n{GOES_ON}" if fence else below


def _code_at_end(text: str) -> int | None:
    """Return the byte offset of the code block in which the text ends, or None."""
    length = len(text.encode())
    for event, place in pyromark.events_with_range(text, options=OPTIONS):
        started = event.get("Start") if isinstance(event, dict) else None
        if "CodeBlock" in str(started) and place["end"] >= length:
            return int(place["start"])
    return None
