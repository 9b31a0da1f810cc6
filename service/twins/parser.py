"""The file of a twin: front matter between two lines of ---, then the instructions."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from core.validation_messages import plain
from service.twins import file_stamp, front_matter
from service.twins.twin import BrokenTwin, FrontMatter, Twin

MAX_BYTES = 256 * 1024
PARTS = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n(.*))?\Z", re.DOTALL | re.MULTILINE)
BOM = b"\xef\xbb\xbf"


def load(path: Path, updated_at: float) -> Twin:
    """Read the twin in a file. Raises BrokenTwin."""
    if not front_matter.is_text(path.name):
        raise BrokenTwin("the name of the file is not UTF-8.")
    try:
        text = _text(file_stamp.read(path, most=MAX_BYTES))
    except file_stamp.Unreadable as error:
        raise BrokenTwin(f"it {error}.") from None
    return read(path.stem, text, updated_at)


def read(twin_id: str, text: str, updated_at: float) -> Twin:
    """Read a twin from the text of its file. Raises BrokenTwin."""
    parts = PARTS.match(text)
    if not parts:
        raise BrokenTwin("line 1: front matter between two lines of --- is missing.")
    fields = front_matter.parse(parts[1])
    try:
        # Not strict, for every value is text as yet.
        about = msgspec.convert(fields.values, FrontMatter, strict=False)
    except msgspec.ValidationError as error:
        place, reason = plain(error, FrontMatter)
        raise BrokenTwin(f"line {fields.line(place)}: {place} {reason}.") from None
    return Twin(twin_id, about, (parts[2] or "").strip(), updated_at, fields.line("avatar"))


def _text(data: bytes) -> str:
    data = data.removeprefix(BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BrokenTwin(f"line {line}: this is not UTF-8; save the file as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
