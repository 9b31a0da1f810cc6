"""Words as people look for them: without case and accents."""

from __future__ import annotations

import unicodedata

# Letters of their own, which hold no accent that could be taken off.
PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)


def folded(text: str) -> str:
    """Return a text that is equal for all its writings with other cases and accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(part for part in parts if not unicodedata.combining(part))
    return bare.translate(PLAIN)
