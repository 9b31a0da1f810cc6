"""The cost of write transactions on SQLite, with and without waiting for the disk."""

from __future__ import annotations

import tempfile
import time
from statistics import median

from core.db.database import Database
from tools.bench.table import Row, ratio

ROUNDS = 500


def measure() -> list[Row]:
    """Insert one row per transaction, alternately ordinary and durable; return the median times."""
    microseconds: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/bench.db")
        with database.write() as connection:
            connection.exec_driver_sql("CREATE TABLE things (content TEXT)")
        for number in range(2 * ROUNDS):
            is_durable = bool(number % 2)
            started_at = time.perf_counter()
            with database.write(durable=is_durable) as connection:
                connection.exec_driver_sql("INSERT INTO things VALUES (?)", ("x" * 500,))
            microseconds[is_durable].append((time.perf_counter() - started_at) * 1e6)
        database.close()
    ordinary, durable = (median(microseconds[is_durable]) for is_durable in (False, True))
    times = ratio(durable, ordinary)
    return [{"rows": ROUNDS, "ordinary us": ordinary, "durable us": durable, "times": times}]
