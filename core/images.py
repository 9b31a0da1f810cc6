"""Images, identified by their bytes. SVG is not accepted: it can contain scripts."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

# A few bytes can encode an image that takes gigabytes to display, and an image of a pixel or two
# is a tracking pixel.
MIN_SIDE_PIXELS, MAX_SIDE_PIXELS = 8, 4096

_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "image/gif": re.compile(rb"GIF8[79]a"),
}
_JPEG_SEGMENT = re.compile(rb"\xff+([\xc0-\xfe])(..)", re.DOTALL)
_JPEG_SIZE_MARKERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of an image and its media type."""

    media_type: str
    content: bytes = field(repr=False)


def detect_media_type(content: bytes) -> str | None:
    """Return the media type of a PNG, JPEG, WebP or GIF image; None for anything else."""
    for media_type, signature in _SIGNATURES.items():
        if signature.match(content):
            return media_type
    return None


def sniff_image(content: bytes) -> Image | None:
    """Return the PNG, JPEG, WebP or GIF image; None for anything that cannot be displayed."""
    media_type = detect_media_type(content)
    if media_type is None:
        return None
    try:
        sides = _SIZE_READERS[media_type](content)
    except struct.error:
        return None
    is_displayable = all(MIN_SIDE_PIXELS <= side <= MAX_SIDE_PIXELS for side in sides)
    return Image(media_type, content) if is_displayable else None


def _png_size(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from(">II", content, 16) if content[12:16] == b"IHDR" else (0,)


def _gif_size(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from("<HH", content, 6)


def _webp_size(content: bytes) -> tuple[int, ...]:
    if content[12:15] != b"VP8":
        return (0,)
    if content[15:16] == b"X":
        width, width_high, height, height_high = struct.unpack_from("<HBHB", content, 24)
        return (width | width_high << 16) + 1, (height | height_high << 16) + 1
    if content[15:16] == b"L":
        (bits,) = struct.unpack_from("<I", content, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return tuple(side & 0x3FFF for side in struct.unpack_from("<HH", content, 26))


def _jpeg_size(content: bytes) -> tuple[int, ...]:
    offset = 2
    while segment := _JPEG_SEGMENT.match(content, offset):
        if segment[1][0] in _JPEG_SIZE_MARKERS:
            return struct.unpack_from(">HH", content, segment.end() + 1)
        offset = segment.end() - 2 + int.from_bytes(segment[2])
    return (0,)


_SIZE_READERS = {
    "image/png": _png_size,
    "image/jpeg": _jpeg_size,
    "image/webp": _webp_size,
    "image/gif": _gif_size,
}
