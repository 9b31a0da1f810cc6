"""Checkpoints of an SQLite database, so that its file is complete soon after each write."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from twindow.core.db.database import Database
from twindow.core.threadpool import in_threadpool


class Checkpoints:
    """Background thread that copies the changes in the `-wal` file to the database file.

    SQLite itself does this after 4 MB of changes, and when the last connection closes. Does nothing
    for PostgreSQL.
    """

    interval_seconds = 5.0

    def __init__(self, database: Database) -> None:
        self._database = database
        self._path = Path(database.engine.url.database or "").resolve()
        self._last_state: tuple[int, int] | None = None
        self._copied_state: tuple[int, int] | None = None
        self._closed = threading.Event()

    def start(self) -> None:
        """Start a thread that calls `check` every `interval_seconds`."""
        if self._database.is_sqlite:
            threading.Thread(target=self._run, daemon=True, name="checkpoints").start()

    def check(self) -> None:
        """Copy the changes if nothing was written since the last check."""
        state = self._wal_state()
        is_quiet = state == self._last_state
        self._last_state = state
        # In a native thread: the copy would block all greenlets.
        if is_quiet and state != self._copied_state and in_threadpool(self._copy)():
            self._copied_state = state

    def close(self) -> None:
        """Copy all changes, and close all connections to the database."""
        self._closed.set()
        if self._database.is_sqlite:
            self._copy()
        self._database.close()

    def _run(self) -> None:
        while not self._closed.wait(self.interval_seconds):
            self.check()

    def _wal_state(self) -> tuple[int, int] | None:
        try:
            status = Path(f"{self._path}-wal").stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _copy(self) -> bool:
        """Return whether all changes were copied. Does not wait for or block other connections."""
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True)) as connection:
                query = "PRAGMA wal_checkpoint(PASSIVE)"
                is_blocked, changes, copied = connection.execute(query).fetchone()
                if is_blocked or changes != copied:
                    return False
                # The file keeps deleted text until it is overwritten or truncated.
                connection.execute("PRAGMA busy_timeout=0")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            return False
        return True
