"""Media types of images by their first bytes. SVG is not accepted: it can contain scripts."""

from __future__ import annotations

import re

_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "image/gif": re.compile(rb"GIF8[79]a"),
}


def detect_media_type(content: bytes) -> str | None:
    """Return the media type of a PNG, JPEG, WebP or GIF image; None for anything else."""
    for media_type, signature in _SIGNATURES.items():
        if signature.match(content):
            return media_type
    return None
