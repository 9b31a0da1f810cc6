"""File lock for processes that start at the same time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twindow.core.settings import SettingsError


@contextmanager
def startup_lock(data_dir: Path) -> Iterator[None]:
    """Hold the lock, so that processes set up their databases one after the other.

    Raises SettingsError if the folder is not writable.
    """
    path = data_dir / "start.lock"
    try:
        lock = path.open("a")  # without truncating, this also works on a full disk
    except OSError as error:
        raise SettingsError(
            f"The server cannot write to {path.resolve()}: {error.strerror}. Its user must own the "
            "data folder and all files in it."
        ) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
