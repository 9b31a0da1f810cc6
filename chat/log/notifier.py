"""What one process has written, another learns of at once."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from core.database import Database

LOOK_SECONDS = 0.1
BELL_SECONDS = 1.0


class Bell:
    """Wake other processes when something has been written.

    PostgreSQL rings (LISTEN, NOTIFY). SQLite has no bell: whoever waits looks again soon.
    """

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        self._listening: Any = None

    def ring(self, connection: Connection) -> None:
        """Ring when this transaction is committed."""
        if not self._database.is_sqlite:
            connection.exec_driver_sql(f"NOTIFY {self._name}")

    def wait(self) -> None:
        """Wait for the bell, for a moment at most; only one thread may. It may ring for nothing."""
        if self._database.is_sqlite:
            time.sleep(LOOK_SECONDS)
            return
        try:
            if self._listening is None:
                # What was written before is found by the first look, so this rings at once.
                self._listening = self._listen()
            else:
                for _ in self._listening.notifies(timeout=BELL_SECONDS, stop_after=1):
                    pass
        except (self._database.engine.dialect.loaded_dbapi.Error, DBAPIError):
            self.rest()
            time.sleep(BELL_SECONDS)

    def rest(self) -> None:
        """Hear nothing until somebody waits again."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.close()

    def _listen(self) -> Any:
        pooled = self._database.engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        connection.autocommit = True
        connection.execute(f"LISTEN {self._name}")
        return connection
