"""File lock for processes that start at the same time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def startup_lock(data_dir: Path) -> Iterator[None]:
    """Hold the lock, so that processes set up their databases one after the other."""
    with (data_dir / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
