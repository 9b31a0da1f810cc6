"""Cross-process wake-up for new rows in the reply log."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from core.db.database import Database

POLL_SECONDS = 0.1
NOTIFY_TIMEOUT_SECONDS = 1.0


class Notifier:
    """Signal between processes: LISTEN/NOTIFY on PostgreSQL, polling on SQLite."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._listener: Any = None

    def notify(self, connection: Connection) -> None:
        """Notify the listeners when this transaction commits; does nothing on SQLite."""
        if not self._database.is_sqlite:
            connection.exec_driver_sql(f"NOTIFY {self._channel}")

    def wait(self) -> None:
        """Block until a notification arrives or the timeout expires. Call from one thread only.

        May return without a notification. On SQLite it sleeps for `POLL_SECONDS`; after a lost
        connection it returns when `NOTIFY_TIMEOUT_SECONDS` have passed.
        """
        if self._database.is_sqlite:
            time.sleep(POLL_SECONDS)
            return
        try:
            if self._listener is None:
                # Return at once, so that the caller reads rows written before LISTEN began.
                self._listener = self._listen()
            else:
                for _ in self._listener.notifies(timeout=NOTIFY_TIMEOUT_SECONDS, stop_after=1):
                    pass
        except (self._database.engine.dialect.loaded_dbapi.Error, DBAPIError):
            self.close()
            time.sleep(NOTIFY_TIMEOUT_SECONDS)

    def close(self) -> None:
        """Close the listening connection; the next `wait` opens a new one."""
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
