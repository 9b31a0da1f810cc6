"""Images, identified by their bytes. SVG is not accepted: it can contain scripts."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

# A few bytes can encode an image that takes gigabytes to display, and an image of a pixel or two
# is a tracking pixel.
MIN_SIDE_PIXELS, MAX_SIDE_PIXELS = 8, 4096

_JPEG_SEGMENT = re.compile(rb"\xff+([\xc0-\xfe])(..)", re.DOTALL)
_JPEG_SIZE_MARKERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of an image and its media type."""

    media_type: str
    content: bytes = field(repr=False)


def sniff_image(content: bytes) -> Image | None:
    """Return the PNG, JPEG, WebP or GIF image; None for anything that cannot be displayed."""
    for signature, media_type, read_size in (
        (rb"\x89PNG\r\n\x1a\n.{4}IHDR", "image/png", _png_size),
        (rb"\xff\xd8\xff", "image/jpeg", _jpeg_size),
        (rb"RIFF.{4}WEBPVP8[ LX]", "image/webp", _webp_size),
        (rb"GIF8[79]a", "image/gif", _gif_size),
    ):
        if re.match(signature, content, re.DOTALL):
            try:
                is_displayable = all(
                    MIN_SIDE_PIXELS <= side <= MAX_SIDE_PIXELS for side in read_size(content)
                )
            except struct.error:
                return None
            return Image(media_type, content) if is_displayable else None
    return None


def _png_size(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from(">II", content, 16)


def _gif_size(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from("<HH", content, 6)


def _webp_size(content: bytes) -> tuple[int, ...]:
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
