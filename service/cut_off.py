"""How a reply that ended at its bound, in the middle of a sentence, shows that it goes on."""

from __future__ import annotations

import re

GOES_ON = "…"
# CommonMark 4.5; in a list a fence stands as deep as its item.
_FENCE = re.compile(r"^([ \t]*)(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)


def goes_on(text: str) -> str:
    """Return what comes after a text that was cut off: below its code, where nobody copies it."""
    indent, open_fence = "", ""
    for found in _FENCE.finditer(text):
        before, fence, rest = found.groups()
        if not open_fence:
            indent, open_fence = before, fence
        elif fence.startswith(open_fence) and not rest.strip():
            open_fence = ""
    if not open_fence:
        return f" {GOES_ON}"
    line_end = "" if text.endswith("\n") else "\n"
    return f"{line_end}{indent}{open_fence}\n\n{indent}{GOES_ON}"
