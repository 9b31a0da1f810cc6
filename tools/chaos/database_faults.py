"""Faults of a PostgreSQL database that last for some seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from tools.chaos.probes import APPLICATION_NAME, connect_postgresql

LOCKED_ROWS = 5
KILL_INTERVAL_SECONDS = 0.5


def locked_rows(database_url: str, seconds: float) -> None:
    """Lock the rows of some turns whose replies are running."""
    with connect_postgresql(database_url) as connection, connection.transaction():
        query = "SELECT id FROM turns WHERE worker <> '' ORDER BY id LIMIT %s FOR UPDATE"
        connection.execute(query, [LOCKED_ROWS])
        time.sleep(seconds)


def read_only(database_url: str, seconds: float) -> None:
    """Simulate a switch to a read-only server and back.

    Connections from before the first switch are lost. Connections to the read-only server stay open
    after the switch back, as they do when a host name is pointed at another server.
    """
    with connect_postgresql(database_url) as connection:
        database = connection.info.dbname
        setting = f"ALTER DATABASE {database} SET default_transaction_read_only"
        connection.execute(f"{setting} = on".encode())
        _terminate_connections(database_url)
        time.sleep(seconds)
        connection.execute(f"{setting} = off".encode())


def killed_connections(database_url: str, seconds: float) -> None:
    """Terminate all connections, again and again."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _terminate_connections(database_url)
        time.sleep(KILL_INTERVAL_SECONDS)


FAULTS: dict[str, Callable[[str, float], None]] = {
    fault.__name__: fault for fault in (locked_rows, read_only, killed_connections)
}


def _terminate_connections(database_url: str) -> None:
    """Terminate all connections of the portal."""
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name <> %s"
    )
    with connect_postgresql(database_url) as connection:
        connection.execute(query, [APPLICATION_NAME])
