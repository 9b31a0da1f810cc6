"""Errors of a database that may work again later, and what they tell operators."""

from __future__ import annotations

from sqlalchemy import URL
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

ADVICE = "See docs/troubleshooting.md#database."
# PostgreSQL reports these states if the transaction is read-only, as after a switchover, if the
# transaction was idle for too long, or if the role has no rights or no schema.
READ_ONLY_SQLSTATE = "25006"
UNAVAILABLE_SQLSTATES = {READ_ONLY_SQLSTATE, "25P03", "42501", "3F000"}


class DatabaseUnavailable(Exception):
    """Raised when the database is locked for too long, full or unreachable; nothing was written.

    The message says what is wrong, and what to do.
    """


def is_unavailable(error: DBAPIError | PoolTimeout) -> bool:
    """Return whether the same transaction may succeed later."""
    if isinstance(error, OperationalError | InterfaceError | PoolTimeout):
        return True
    if type(error) is DatabaseError:
        return True  # a damaged file
    return getattr(error.orig, "sqlstate", None) in UNAVAILABLE_SQLSTATES


def describe_error(error: DBAPIError | PoolTimeout, url: URL) -> str:
    """Return one line: where the database is, and the first line of what the driver says."""
    original = error.orig if isinstance(error, DBAPIError) else error
    lines = str(original).strip().splitlines() or [type(original).__name__]
    host = url.host or url.query.get("host", "this machine")
    port = f":{url.port}" if url.port else ""
    is_file = url.get_backend_name() == "sqlite"
    place = url.database if is_file else f"{url.database} at {host}{port}"
    return f"The database {place} cannot be used: {lines[0].rstrip('.')}. {ADVICE}"
