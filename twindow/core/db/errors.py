"""What is wrong with a database, for operators."""

from __future__ import annotations

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

ADVICE = "See docs/troubleshooting.md#database."


def describe_fault(error: DBAPIError | PoolTimeout, url: URL) -> str:
    """Return one line: where the database is, and the first line of what the driver says."""
    original = error.orig if isinstance(error, DBAPIError) else error
    lines = str(original).strip().splitlines() or [type(original).__name__]
    host = url.host or url.query.get("host", "this machine")
    port = f":{url.port}" if url.port else ""
    is_file = url.get_backend_name() == "sqlite"
    place = url.database if is_file else f"{url.database} at {host}{port}"
    return f"The database {place} cannot be used: {lines[0].rstrip('.')}. {ADVICE}"
