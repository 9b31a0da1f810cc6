"""Parser of twin files: front matter between two lines of ---, then the instructions."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from twindow.core.text_files import NotUtf8, decode_text
from twindow.service import file_stamp
from twindow.service.twins import yaml_fields
from twindow.service.twins.twin import FrontMatter, InvalidTwinFile, Twin
from twindow.service.validation_messages import explain

MAX_TWIN_FILE_BYTES = 256 * 1024
FILE_PATTERN = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n(.*))?\Z", re.DOTALL | re.MULTILINE)


def load(path: Path, updated_at: float) -> Twin:
    """Load a twin from a file; `updated_at` is in seconds since 1970. Raises InvalidTwinFile."""
    if not yaml_fields.is_storable_text(path.name):
        raise InvalidTwinFile("the file name is not valid UTF-8.")
    try:
        file = file_stamp.resolve_inside(path.parent, path.name)
        text = _decode(file_stamp.read_file(file, max_bytes=MAX_TWIN_FILE_BYTES))
    except file_stamp.UnreadableFile as error:
        raise InvalidTwinFile(f"it {error}.") from None
    return parse(path.stem, text, updated_at)


def parse(twin_id: str, text: str, updated_at: float) -> Twin:
    """Parse a twin from the text of its file. Raises InvalidTwinFile."""
    sections = FILE_PATTERN.match(text)
    if not sections:
        raise InvalidTwinFile("line 1: missing front matter between two lines of ---.")
    fields = yaml_fields.parse(sections[1])
    try:
        # `strict=False` converts scalars, which are all text.
        metadata = msgspec.convert(fields.values, FrontMatter, strict=False)
    except msgspec.ValidationError as error:
        field_path, reason = explain(error, FrontMatter)
        raise InvalidTwinFile(
            f"line {fields.line_of(field_path)}: {field_path} {reason}."
        ) from None
    return Twin(
        twin_id, metadata, (sections[2] or "").strip(), updated_at, fields.line_of("avatar")
    )


def _decode(data: bytes) -> str:
    try:
        text = decode_text(data)
    except NotUtf8 as error:
        message = f"line {error.line}: not valid UTF-8; save the file as UTF-8."
        raise InvalidTwinFile(message) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
