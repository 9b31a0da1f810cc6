"""Small valid images, created without an imaging library."""

from __future__ import annotations

import struct
import zlib


def png(side: int = 16, *, shade: int = 120) -> bytes:
    """Return a square PNG in one shade of grey."""
    rows = b"".join(b"\0" + bytes([shade]) * side for _ in range(side))
    size = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", size), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(*part) for part in chunks)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def png_head(width: int, height: int) -> bytes:
    """Return the start of a PNG file with these dimensions."""
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)


def gif_head(width: int, height: int) -> bytes:
    """Return the start of a GIF file with these dimensions."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def jpeg_head(width: int, height: int) -> bytes:
    """Return the start of a JPEG file with these dimensions and a thumbnail of another size."""
    thumbnail = b"\xff\xc0\0\x11\x08\0\x01\0\x01"
    exif = b"\xff\xe1" + struct.pack(">H", 2 + len(thumbnail)) + thumbnail
    return b"\xff\xd8" + exif + b"\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width)


def webp_head(width: int, height: int, *, kind: bytes = b"X") -> bytes:
    """Return the start of a WebP file: extended (X), lossless (L) or lossy ( )."""
    head = b"RIFF\0\0\0\0WEBPVP8" + kind + b"\0\0\0\0"
    if kind == b"X":
        sides = (struct.pack("<I", side - 1)[:3] for side in (width, height))
        return head + b"\0\0\0\0" + b"".join(sides)
    if kind == b"L":
        return head + b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
    return head + b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
