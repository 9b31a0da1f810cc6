"""Masking of the portal's own keys in what the service sends."""

from __future__ import annotations

from collections.abc import Sequence

REDACTED = "•••"
# A shorter key is no secret, but may be a word of a reply.
MIN_KEY_CHARACTERS = 8


def mask_keys(text: str, keys: Sequence[str]) -> str:
    """Return a text of the service with the keys masked."""
    for key in keys:
        if len(key) >= MIN_KEY_CHARACTERS:
            text = text.replace(key, REDACTED)
    return text


def beginning_of_key(text: str, keys: Sequence[str]) -> str:
    """Return the longest end of a text with which one of the keys begins, or ""."""
    ends = (
        key[:length]
        for key in keys
        if len(key) >= MIN_KEY_CHARACTERS
        for length in range(1, len(key))
        if text.endswith(key[:length])
    )
    return max(ends, key=len, default="")
