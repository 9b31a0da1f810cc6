"""Files that somebody edits while we run: whether they changed, and what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Stamp(NamedTuple):
    """What is another one after each change of a file.

    Size and time alone miss a file that took the place of another of its age and length.
    """

    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class UnreadableFile(Exception):
    """Raised for a file that cannot be used; the text says what it is instead."""


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file, or of what a link leads to; None where nothing is."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def read_file(path: Path, *, max_bytes: int) -> bytes:
    """Return what is in a file. Raises Unreadable."""
    try:
        # Anything else, a pipe for example, could be waited for in vain.
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
    return "is a link that leads nowhere" if path.is_symlink() else "is not there"
