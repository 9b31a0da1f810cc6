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
