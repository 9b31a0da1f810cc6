"""Text of files that people write with any editor."""

from __future__ import annotations


class NotUtf8(Exception):
    """Raised for a text that is not valid UTF-8; `line` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} is not valid UTF-8")
        self.line = line


def decode_text(data: bytes) -> str:
    """Decode UTF-8, without a byte order mark at the start. Raises NotUtf8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUtf8(error.object.count(b"\n", 0, error.start) + 1) from None
