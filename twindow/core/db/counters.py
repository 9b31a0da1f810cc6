"""Stored counters: how often something happened in a fixed window, and how often it may happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Insert,
    Integer,
    String,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    not_,
    or_,
    select,
    tuple_,
)

from twindow.core.db.database import Database
from twindow.core.db.metadata import metadata
from twindow.core.db.statements import dialect_insert

QUARTER_SECONDS, HOUR_SECONDS, DAY_SECONDS = 900, 3600, 86_400
# A transaction of SQLite blocks all greenlets.
DELETED_ROWS_PER_TRANSACTION = 500
DELETION_PAUSE_SECONDS = 0.01


def counter_table(name: str) -> Table:
    """Declare a table of counters. `ends_at` is the end of a window, in seconds since 1970."""
    return Table(
        name,
        metadata,
        Column("scope", String(24), primary_key=True),
        Column("subject", Text, primary_key=True),
        Column("seconds", Integer, primary_key=True),
        Column("ends_at", Integer, primary_key=True),
        Column("used", Integer, nullable=False),
        Index(f"{name}_by_end", "ends_at"),
    )


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something of one scope and subject may happen in a window of `seconds`.

    Windows are fixed, in UTC: a day begins at midnight. So twice the limit is possible across their
    boundary. `maximum` is None for a counter without a limit.
    """

    scope: str
    subject: str
    seconds: int
    maximum: int | None


@dataclass(frozen=True, slots=True)
class Count:
    """A limit, and how much of it is used until `resets_at` by the clock of the database."""

    limit: Limit
    used: int
    resets_at: int


_KEY = ("scope", "subject", "seconds", "ends_at")


class LimitReached(Exception):
    """Raised for what would exceed a limit; `count` is the one that is valid longest."""

    def __init__(self, count: Count) -> None:
        super().__init__(count)
        self.count = count


class Counters:
    """The counters in one table. Times are by the clock of the database."""

    def __init__(self, table: Table) -> None:
        self.table = table
        # For queries of other tables: the columns of a count, and which rows are in `keys`.
        self.columns = table.c["scope", "seconds", "used"]
        self.is_wanted = tuple_(*table.c[_KEY]).in_(bindparam("keys", expanding=True))
        self._select = select(*self.columns).where(self.is_wanted)

    def count(self, connection: Connection, limits: Sequence[Limit], now: float) -> list[Count]:
        """Count once for each limit, and return the counts that include it.

        The limits have different scopes, and their rows are locked in this order. Raises
        LimitReached, after which the caller must roll back the transaction.
        """
        statement = _count_statement(
            connection.dialect.name, self.table, tuple(limit.maximum for limit in limits)
        )
        parameters = {
            f"{name}{number}": value
            for number, limit in enumerate(limits)
            for name, value in zip(_KEY, _key(limit, now), strict=True)
        }
        counts = counts_from_rows(connection.execute(statement, parameters), limits, now)
        # The statement skips the rows that have reached their limit.
        if reached := [count for count in counts if not count.used]:
            raise LimitReached(max(reached, key=lambda count: count.resets_at))
        return counts

    def read(self, connection: Connection, limits: Sequence[Limit], now: float) -> list[Count]:
        """Return the counts of some limits."""
        rows = connection.execute(self._select, {"keys": keys_of(limits, now)})
        return counts_from_rows(rows, limits, now)

    def check(self, connection: Connection, limits: Sequence[Limit], now: float) -> None:
        """Raise LimitReached if nothing more may happen for one of some limits."""
        reached = [
            count
            for count in self.read(connection, limits, now)
            if count.limit.maximum is not None and count.used >= count.limit.maximum
        ]
        if reached:
            raise LimitReached(max(reached, key=lambda count: count.resets_at))

    def forget(self, connection: Connection, scope: str, subject: str) -> None:
        """Delete the counters of a subject."""
        columns = self.table.c
        is_wanted = and_(columns.scope == scope, columns.subject == subject)
        connection.execute(delete(self.table).where(is_wanted))

    def purge(self, database: Database) -> None:
        """Delete the rows whose window has ended, in short transactions with pauses."""
        key = tuple_(*self.table.primary_key)
        while True:
            with database.read() as connection:
                has_ended = self.table.c.ends_at <= database.now(connection)
                query = select(*self.table.primary_key).where(has_ended)
                rows = connection.execute(query.limit(DELETED_ROWS_PER_TRANSACTION)).all()
            if not rows:
                return
            with database.write() as connection:
                connection.execute(delete(self.table).where(key.in_([tuple(row) for row in rows])))
            database.clock.sleep(DELETION_PAUSE_SECONDS)


def keys_of(limits: Sequence[Limit], now: float) -> list[tuple[str, str, int, int]]:
    """Return the keys of the current counts of some limits, for the parameter `keys`."""
    return [_key(limit, now) for limit in limits]


def _key(limit: Limit, now: float) -> tuple[str, str, int, int]:
    ends_at = int(now - now % limit.seconds) + limit.seconds
    return limit.scope, limit.subject, limit.seconds, ends_at


def counts_from_rows(rows: Any, limits: Sequence[Limit], now: float) -> list[Count]:
    """Return the counts of some limits from rows of `Counters.columns`."""
    used = {(scope, seconds): used for scope, seconds, used in rows}
    return [
        Count(limit, used.get((limit.scope, limit.seconds), 0), _key(limit, now)[-1])
        for limit in limits
    ]


@cache
def _count_statement(dialect: str, table: Table, maxima: tuple[int | None, ...]) -> Insert:
    """Return the statement that counts in several rows, unless a row is at its maximum."""
    rows: list[dict[str, Any]] = []
    at_limit: list[ColumnElement[bool]] = []
    for number, maximum in enumerate(maxima):
        row: dict[str, Any] = {name: bindparam(f"{name}{number}") for name in _KEY}
        rows.append({**row, "used": 1})
        if maximum is not None:
            is_row = and_(table.c.scope == row["scope"], table.c.seconds == row["seconds"])
            at_limit.append(and_(is_row, table.c.used >= maximum))
    statement: Insert = (
        dialect_insert(dialect, table)
        .values(rows)
        .on_conflict_do_update(
            index_elements=[*table.primary_key],
            set_={"used": table.c.used + 1},
            where=not_(or_(*at_limit)) if at_limit else None,
        )
        .returning(table.c.scope, table.c.seconds, table.c.used)
    )
    return statement
