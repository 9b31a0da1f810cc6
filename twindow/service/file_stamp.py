"""Change detection and bounded reading of files that are edited while the service runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Stamp(NamedTuple):
    """Metadata that changes whenever its file changes.

    Size and modification time alone would miss a replacement of the same size and time.
    """

    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class UnreadableFile(Exception):
    """Raised for an unusable file; the message is a predicate, such as "does not exist"."""


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file (symbolic links are followed), or None if there is none."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def resolve_inside(folder: Path, name: str) -> Path:
    """Return the path of a file in the folder, with symbolic links resolved.

    Raises UnreadableFile for a link that leads out of the folder, or nowhere.
    """
    try:
        path = (folder / name).resolve()
    except (OSError, RuntimeError):  # the links form a loop
        raise UnreadableFile("is a broken link") from None
    if not path.is_relative_to(folder.resolve()):
        raise UnreadableFile("is outside the twins folder")
    # The methods of Path would raise OSError for a name that is too long.
    if os.path.islink(folder / name) and not os.path.exists(path):  # noqa: PTH110, PTH114
        raise UnreadableFile("is a broken link")
    return path


def read_file(path: Path, *, max_bytes: int) -> bytes:
    """Return the content of a file.

    Raises UnreadableFile if the file cannot be read, or is larger than `max_bytes`.
    """
    try:
        # Opening a special file, such as a pipe, could block forever.
        if not path.is_file():
            raise UnreadableFile(_describe_non_file(path))
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from None
    if len(data) > max_bytes:
        raise UnreadableFile(f"is larger than {max_bytes // 1024} KiB")
    return data


def _describe_non_file(path: Path) -> str:
    if path.is_dir():
        return "is a folder, not a file"
    if path.exists():
        return "is a pipe or a device, not a file"
    return "is a broken link" if path.is_symlink() else "does not exist"
