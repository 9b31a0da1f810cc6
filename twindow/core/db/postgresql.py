"""PostgreSQL: timeouts of connections and transactions, and servers that have become read-only."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, event, make_url, text

from twindow.core.db.errors import READ_ONLY_SQLSTATE

CONNECT_TIMEOUT_SECONDS = 5
TCP_TIMEOUT_MS = 10_000
TRANSACTION_TIMEOUT_MS = 30_000
TIMEOUTS = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout")
_COUNT_OTHER_CONNECTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND usename = current_user AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


def connect_args(url: str) -> dict[str, Any]:
    """Return the options of connections; those in the URL take precedence.

    Without these timeouts, the client would wait for hours for a host that has disappeared.
    PgBouncer gives a connection to another client after each transaction, so nothing that belongs
    to a connection is used: neither prepared statements nor `options`.
    """
    arguments = {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "tcp_user_timeout": TCP_TIMEOUT_MS,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "client_encoding": "utf8",
        "prepare_threshold": None,
    }
    in_url = make_url(url).query
    return {name: value for name, value in arguments.items() if name not in in_url}


def prepare(engine: Engine, lock_timeout: float) -> None:
    """Prepare the connections of an engine. Transactions wait `lock_timeout` seconds for a lock.

    Without the timeouts of a transaction, the server would hold the locks of a client that has
    disappeared.
    """
    values = (math.ceil(lock_timeout * 1000), TRANSACTION_TIMEOUT_MS, TRANSACTION_TIMEOUT_MS)
    timeouts = zip(TIMEOUTS, values, strict=True)
    statement = "; ".join(f"SET LOCAL {name} = {value}" for name, value in timeouts)

    def set_timeouts(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    event.listen(engine, "begin", set_timeouts)
    event.listen(engine, "handle_error", _drop_read_only_connections)


def lift_timeouts(connection: Connection) -> None:
    """Let this transaction, and each of its statements, take as long as necessary."""
    for name in TIMEOUTS:
        connection.exec_driver_sql(f"SET LOCAL {name} = 0")


def has_other_connections(connection: Connection) -> bool:
    """Return whether others, such as a running server, have connections to the database."""
    return bool(connection.execute(_COUNT_OTHER_CONNECTIONS).scalar_one())


def _drop_read_only_connections(context: ExceptionContext) -> None:
    """Reconnect after a switchover: the open connections lead to the read-only server."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY_SQLSTATE:
        context.is_disconnect = True
