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
