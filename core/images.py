"""Pictures, told by their bytes. SVG is none: it can hold scripts."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

# A few bytes can hold a picture that takes gigabytes to show; one of a pixel or two only counts.
SMALLEST, LARGEST = 8, 4096

_JPEG_PART = re.compile(rb"\xff+([\xc0-\xfe])(..)", re.DOTALL)
_JPEG_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture and its media type."""

    type: str
    content: bytes = field(repr=False)


def picture(content: bytes) -> Picture | None:
    """Return the picture that these bytes are, None if they are none that can be shown."""
    for beginning, kind, size_of in (
        (rb"\x89PNG\r\n\x1a\n.{4}IHDR", "image/png", _png),
        (rb"\xff\xd8\xff", "image/jpeg", _jpeg),
        (rb"RIFF.{4}WEBPVP8[ LX]", "image/webp", _webp),
        (rb"GIF8[79]a", "image/gif", _gif),
    ):
        if re.match(beginning, content, re.DOTALL):
            try:
                fits = all(SMALLEST <= side <= LARGEST for side in size_of(content))
            except struct.error:
                return None
            return Picture(kind, content) if fits else None
    return None


def _png(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from(">II", content, 16)


def _gif(content: bytes) -> tuple[int, ...]:
    return struct.unpack_from("<HH", content, 6)


def _webp(content: bytes) -> tuple[int, ...]:
    if content[15:16] == b"X":
        width, width_high, height, height_high = struct.unpack_from("<HBHB", content, 24)
        return (width | width_high << 16) + 1, (height | height_high << 16) + 1
    if content[15:16] == b"L":
        (bits,) = struct.unpack_from("<I", content, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return tuple(side & 0x3FFF for side in struct.unpack_from("<HH", content, 26))


def _jpeg(content: bytes) -> tuple[int, ...]:
    place = 2
    while part := _JPEG_PART.match(content, place):
        if part[1][0] in _JPEG_SIZES:
            return struct.unpack_from(">HH", content, part.end() + 1)
        place = part.end() - 2 + int.from_bytes(part[2])
    return (0,)
