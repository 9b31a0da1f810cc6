"""What one process has written, another learns of at once."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from core.database import Database

POLL_SECONDS = 0.1
NOTIFY_TIMEOUT_SECONDS = 1.0


class Notifier:
    """Wake other processes when something has been written.

    PostgreSQL rings (LISTEN, NOTIFY). SQLite has no bell: whoever waits looks again soon.
    """

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._listener: Any = None

    def notify(self, connection: Connection) -> None:
        """Ring when this transaction is committed."""
        if not self._database.is_sqlite:
            connection.exec_driver_sql(f"NOTIFY {self._channel}")

    def wait(self) -> None:
        """Wait for the bell, for a moment at most; only one thread may. It may ring for nothing."""
        if self._database.is_sqlite:
            time.sleep(POLL_SECONDS)
            return
        try:
            if self._listener is None:
                # What was written before is found by the first look, so this rings at once.
                self._listener = self._listen()
            else:
                for _ in self._listener.notifies(timeout=NOTIFY_TIMEOUT_SECONDS, stop_after=1):
                    pass
        except (self._database.engine.dialect.loaded_dbapi.Error, DBAPIError):
            self.close()
            time.sleep(NOTIFY_TIMEOUT_SECONDS)

    def close(self) -> None:
        """Hear nothing until somebody waits again."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()

    def _listen(self) -> Any:
        pooled = self._database.engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        connection.autocommit = True
        connection.execute(f"LISTEN {self._channel}")
        return connection
