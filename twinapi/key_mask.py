"""Masking of the portal's own keys in what the service sends."""

from __future__ import annotations

from collections.abc import Sequence

REDACTED = "•••"
# Keys below this length are not masked: they are not secret, and may be ordinary words.
MIN_KEY_CHARACTERS = 8


def mask_keys(text: str, keys: Sequence[str]) -> str:
    """Return a text of the service with the keys masked."""
    for key in keys:
        if len(key) >= MIN_KEY_CHARACTERS:
            text = text.replace(key, REDACTED)
    return text


def beginning_of_key(text: str, keys: Sequence[str]) -> str:
    """Return the longest suffix of a text that is a proper prefix of one of the keys, or ""."""
    ends = (
        key[:length]
        for key in keys
        if len(key) >= MIN_KEY_CHARACTERS
        for length in range(1, len(key))
        if text.endswith(key[:length])
    )
    return max(ends, key=len, default="")
