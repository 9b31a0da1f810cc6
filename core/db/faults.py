"""What is wrong with a database: the reason that the driver gives, and what to do."""

from __future__ import annotations

import re

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# What the driver says, and the advice for it.
_ADVICE = (
    (
        r"password|role .* (does not exist|is not permitted)|peer authentication",
        "Check the user name and the password in TWINDOW_DATABASE_URL.",
    ),
    (
        r"database .* does not exist|unknown database|no such database",
        "Create it: createdb -E UTF8 -T template0 {database}.",
    ),
    (
        r"no encryption|SSL (off|required)|TLS is required",
        "The server requires TLS: add ?sslmode=require to TWINDOW_DATABASE_URL.",
    ),
    (
        r"does not support SSL",
        "The server has no TLS: set ?sslmode=prefer in TWINDOW_DATABASE_URL.",
    ),
    (
        r"certificate",
        "Name the file of the certificate authority: ?sslrootcert=FILE in TWINDOW_DATABASE_URL.",
    ),
    (
        r"too many|remaining connection slots|no more connections",
        "Each worker opens up to 16 connections: raise max_connections of PostgreSQL.",
    ),
    (
        r"no schema has been selected",
        "Set search_path of the role or of TWINDOW_DATABASE_URL to a schema that exists.",
    ),
    (
        r"permission denied for schema",
        "Let the role create tables: GRANT CREATE, USAGE ON SCHEMA public TO {role}.",
    ),
    (
        r"permission denied|must be owner",
        "The tables belong to another role: connect as this role, or give {role} its rights.",
    ),
    (
        r"read-only transaction|cannot execute .* during recovery",
        "Connect to the primary server, or make the database writable.",
    ),
    (
        r"(lock|statement|idle-in-transaction|session) timeout|QueuePool",
        "The database is slow or has too much to do: its log says why.",
    ),
    (
        r"refused|resolve|name or service|time-?out|timed out|no route|no such file|not running",
        "Check the host and the port in TWINDOW_DATABASE_URL, and that the server runs.",
    ),
    (
        r"unable to open|readonly database|permission",
        "This account must own {file} and its folder, and be able to write to both.",
    ),
    (r"disk is full", "Free some space on the disk of {file}."),
    (r"not a database|malformed", "{file} is damaged, or no SQLite database: restore a backup."),
    (r"disk I/O", "Check the disk of {file}."),
    (r"locked", "Another program uses {file}: stop it."),
)
_PREFIXES = re.compile(
    r"^(\([\w.]+\) |connection failed: |connection to server [^:]*(?:: [^:]*?)?failed: |FATAL:\s+"
    r"|ERROR:\s+|connection is bad: )+"
)


def describe_fault(error: DBAPIError | PoolTimeout, url: URL) -> str:
    """Return one line: where the database is, what the driver says, and advice if there is any."""
    original = error.orig if isinstance(error, DBAPIError) else error
    lines = str(original).strip().splitlines() or [type(original).__name__]
    reason = _PREFIXES.sub("", lines[0]).strip(" .")
    values = {"role": url.username, "database": url.database, "file": url.database}
    advice = (
        text.format(**values)
        for pattern, text in _ADVICE
        if re.search(pattern, reason, re.IGNORECASE)
    )
    host = url.host or url.query.get("host", "this machine")
    port = f":{url.port}" if url.port else ""
    place = (
        url.database if url.get_backend_name() == "sqlite" else f"{url.database} at {host}{port}"
    )
    return " ".join((f"The database {place} cannot be used: {reason}.", next(advice, ""))).rstrip()
