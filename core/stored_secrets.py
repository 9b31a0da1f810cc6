"""Secrets that are generated once and stored in the data folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def load_or_create_secret(path: Path, new_secret: str) -> str:
    """Return the secret in the file, made with `fresh` and readable only by its owner if new."""
    if not path.exists():
        temporary_path = path.with_name(f"{path.name}.{os.getpid()}")
        write_private_file(temporary_path, new_secret)
        # Linked when it is whole: of two processes that start together, both read the first's.
        with suppress(FileExistsError):
            path.hardlink_to(temporary_path)
        temporary_path.unlink()
    return path.read_text().strip()


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
