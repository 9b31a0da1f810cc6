"""Measurements of a running portal: its database, and the /proc files of its processes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

# This name distinguishes the connections of the tests from those of the portal.
APPLICATION_NAME = "chaos"


def database_settings(database_url: str) -> dict[str, str]:
    """Return the settings for this database; "" is SQLite in the data folder."""
    return {"DATABASE_URL": database_url} if database_url else {}


def select_rows(data: Path, query: str, database_url: str = "") -> list[tuple[Any, ...]]:
    """Return the rows of a query on the portal's database.

    The database is the one at `database_url`, or else the SQLite file in the data folder, which is
    opened read-only.
    """
    if database_url:
        with connect_postgresql(database_url) as connection:
            return connection.execute(query.encode()).fetchall()
    with closing(sqlite3.connect(f"file:{data / 'portal.db'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def connect_postgresql(database_url: str) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to PostgreSQL with the database URL of a portal. Each statement is committed."""
    url = database_url.replace("+psycopg", "")
    return psycopg.connect(url, autocommit=True, application_name=APPLICATION_NAME)


def count_running_replies(data: Path, database_url: str = "") -> int:
    """Count the replies without an end."""
    [[number]] = select_rows(
        data,
        "SELECT count(*) FROM turns"
        " WHERE id NOT IN (SELECT turn_id FROM entries WHERE kind = 'ended')",
        database_url,
    )
    return int(number)


def proc_status(pid: int, name: str) -> int:
    """Return a number from /proc/PID/status: VmRSS and VmHWM in KB, Threads."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def count_open_files(pid: int) -> int:
    """Count the open files and sockets of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def pss_kb(pid: int) -> int:
    """Return the memory of a process in KB: its own, and its share of shared memory (PSS)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1])


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process in seconds, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return float((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
